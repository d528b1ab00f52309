"""Publication: publishes the message to topics; subscriptions by topic and by content get it.

Topics are those of Properties.Topic (any number), else of LocalEnvironment's Destination.Publication.Topic,
else the node's own. The queue manager decides which subscriptions match, by topic and by filter. A message
without a match goes to `noMatch`, if that is wired.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.flow.kinds import Kind
from penstock.flow.node import FAILURE, KW_ONLY, OUT
from penstock.flow.nodes.put_properties import PutProperties
from penstock.flow.writing import CONTEXTS, PutRules, noted, prepare
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree import Path, serialise_message

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext

NO_MATCH = "noMatch"
TOPICS_MAX = 10_000
_PLACES = Path("Properties", "Topic"), Path("Destination", "Publication", "Topic")


class Publication(PutProperties):
    """Publishes: `Publication("price/fruit", retain=True)`."""

    outputs = (OUT, NO_MATCH, FAILURE)

    topic: str = ""
    _: KW_ONLY
    retain: bool = False

    @property
    def kind(self) -> Kind:  # type: ignore[override]
        """With `noMatch` wired, a message is published at once, to find out whether it has a subscriber."""
        return Kind.EFFECT if self._is_wired(NO_MATCH) else super().kind

    def _is_wired(self, terminal: str) -> bool:
        return self.flow is not None and bool(self.flow.wires_from(self, terminal))

    @property
    def rules(self) -> PutRules:
        return super().rules._replace(new_msg_id=True)

    def check(self) -> Iterable[str]:
        yield from super().check()
        if self.persistence == "asQdef":
            yield "persistence of a publication is automatic, yes or no"

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        message = serialise_message(assembly.message)
        prepare(assembly, message, self.rules)
        in_unit = self.transaction == "yes" or (
            self.transaction == "automatic" and assembly.invocation.transactional
        )
        options = CONTEXTS[self.context] | mq.MQPMO_WARN_IF_NO_SUBS_MATCHED
        matched, written = False, []
        for topic in self._topics(assembly):
            receipt = assembly.invocation.ports.publish(
                topic, message.snapshot(), retain=self.retain, options=options, in_unit=in_unit
            )
            matched |= receipt.warning != mq.MQRC_NO_SUBS_MATCHED
            written.append({"topic": topic, "msgId": receipt.msg_id})
        sent = assembly.sending(local_environment=noted(assembly, "Publication", written))
        at.send(OUT if matched or at.wire(NO_MATCH) is None else NO_MATCH, sent)

    def _topics(self, assembly: Assembly) -> list[str]:
        trees = assembly.message, assembly.local_environment
        for tree, path in zip(trees, _PLACES, strict=True):
            said = [each.value for each in tree.reference().each(path)]
            found = [str(each).strip() for each in said if each is not None and str(each).strip()]
            if len(found) > TOPICS_MAX:
                raise error(mq.PSRC_FLOW_NODE, f"a message is published to at most {TOPICS_MAX} topics")
            if found:
                return found
        if not self.topic:
            raise error(mq.PSRC_FLOW_NODE, "neither the message nor the node says a topic to publish to")
        return [self.topic]

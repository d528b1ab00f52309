"""Properties that are set when a flow is run or deployed: `queue=ORDERS`, `MQOutput.queue=BILLS`.

They are text (`--set`, override files); the present value of a property determines the type. A name may begin
with a flow's name (`orders#MQOutput.queue`); then it applies only to that flow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.graph.graph import near
from penstock.model import constants as mq
from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from penstock.flow.graph.graph import Flow

WORDS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def parse_overrides(lines: Iterable[str]) -> dict[str, str]:
    """Return names and values of `NAME=VALUE` lines; empty lines and comment lines (#) are skipped."""
    found: dict[str, str] = {}
    for line in lines:
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise error(mq.PSRC_FLOW_GRAPH, f"{text!r} is not NAME=VALUE")
        found[name.strip()] = value.strip()
    return found


def read_overrides(path: Path) -> dict[str, str]:
    """Return the overrides of a file."""
    return parse_overrides(path.read_text(encoding="utf-8").splitlines())


def check_owners(overrides: Iterable[str], flows: Iterable[str]) -> None:
    """Refuse an override for a flow that the project does not have: it would have no effect."""
    known = list(flows)
    for name in overrides:
        owner, hash_mark, _ = name.rpartition("#")
        if hash_mark and owner not in known:
            raise error(mq.PSRC_FLOW_GRAPH, f"{name}: there is no flow {owner!r}{near(owner, known)}")


def apply_overrides(flow: Flow, overrides: Mapping[str, str], others: Iterable[Flow] = ()) -> None:
    """Set properties of a flow; overrides for other flows, and those the importer applied, are skipped.

    A name without a flow's name applies to all of `others` that have such a property; at least one must.
    """
    flows = list(others)
    for name, text in overrides.items():
        owner, hash_mark, own = name.rpartition("#")
        if (hash_mark and owner != flow.name) or name in flow.overridden:
            continue
        if not hash_mark and not _has(flow, own):
            if any(_has(each, own) for each in flows):
                continue
            _check_node(own, [flow, *flows])
        flow.set(own, converted(text, _present(flow, own), own))


def converted(text: str, present: Any, name: str) -> Any:
    """Return a text converted to the type of the present value."""
    try:
        if isinstance(present, bool):
            return WORDS[text.lower()]
        if isinstance(present, int | float):
            return type(present)(text)
    except (KeyError, ValueError) as cause:
        kind = "true or false" if isinstance(present, bool) else "a number"
        raise error(mq.PSRC_FLOW_GRAPH, f"property {name} is {kind}, not {text!r}") from cause
    return text


def _has(flow: Flow, name: str) -> bool:
    label, _, attribute = name.rpartition(".")
    if name in flow.promoted or name in flow.properties or name in flow.overridden:
        return True
    return any(node.name == label and attribute in node.properties() for node in flow.nodes)


def _check_node(name: str, flows: list[Flow]) -> None:
    """Refuse a property that a node of these flows does not have, and name the node's own flow."""
    label, _, attribute = name.rpartition(".")
    for flow in flows:
        for node in flow.nodes:
            if label and node.name == label and attribute not in node.properties():
                text = f"node {label} of flow {flow.name} has no property {attribute!r}"
                raise error(mq.PSRC_FLOW_GRAPH, text + near(attribute, node.properties()))


def _present(flow: Flow, name: str) -> Any:
    """Return the value that a property has before it is set."""
    if name in flow.promoted and flow.promoted[name].targets:
        node, attribute = flow.promoted[name].targets[0]
        return node.properties().get(attribute)
    if name in flow.properties:
        return flow.properties[name]
    label, _, attribute = name.rpartition(".")
    try:
        return flow.node(label).properties().get(attribute)
    except MQError:
        return None  # `set` reports the error

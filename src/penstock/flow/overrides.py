"""Properties that are given when a flow is run or deployed: `queue=ORDERS`, `MQOutput.queue=BILLS`.

They come as text (`--set`, files of overrides); the value a property has now says what the text becomes. A
name may begin with a flow's (`orders#MQOutput.queue`), then it is for that flow alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.graph.graph import near
from penstock.model.constants_reasons import PSRC_FLOW_GRAPH
from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from penstock.flow.graph.graph import Flow

WORDS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def parse_overrides(lines: Iterable[str]) -> dict[str, str]:
    """Return names and values of `NAME=VALUE` lines; empty ones and those that begin with # say nothing."""
    found: dict[str, str] = {}
    for line in lines:
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise error(PSRC_FLOW_GRAPH, f"{text!r} is not NAME=VALUE")
        found[name.strip()] = value.strip()
    return found


def read_overrides(path: Path) -> dict[str, str]:
    """Return the overrides of a file."""
    return parse_overrides(path.read_text(encoding="utf-8").splitlines())


def check_owners(overrides: Iterable[str], flows: Iterable[str]) -> None:
    """Refuse an override that is for a flow which the project does not have: it would do nothing."""
    known = list(flows)
    for name in overrides:
        owner, hash_mark, _ = name.rpartition("#")
        if hash_mark and owner not in known:
            raise error(PSRC_FLOW_GRAPH, f"{name}: there is no flow {owner!r}{near(owner, known)}")


def apply_overrides(flow: Flow, overrides: Mapping[str, str], others: Iterable[Flow] = ()) -> None:
    """Set properties of a flow; what is for other flows, or came in with the import, is passed over.

    A name without a flow's is for all of `others` that have such a property; one of them must.
    """
    flows = list(others)
    for name, text in overrides.items():
        owner, hash_mark, own = name.rpartition("#")
        if (hash_mark and owner != flow.name) or name in flow.overridden:
            continue
        if not hash_mark and not _has(flow, own) and any(_has(each, own) for each in flows):
            continue
        flow.set(own, converted(text, _present(flow, own), own))


def converted(text: str, present: Any, name: str) -> Any:
    """Return a text as the kind of value that is there now."""
    try:
        if isinstance(present, bool):
            return WORDS[text.lower()]
        if isinstance(present, int | float):
            return type(present)(text)
    except (KeyError, ValueError) as cause:
        kind = "true or false" if isinstance(present, bool) else "a number"
        raise error(PSRC_FLOW_GRAPH, f"property {name} is {kind}, not {text!r}") from cause
    return text


def _has(flow: Flow, name: str) -> bool:
    label, _, attribute = name.rpartition(".")
    if name in flow.promoted or name in flow.properties or name in flow.overridden:
        return True
    return any(node.name == label and attribute in node.properties() for node in flow.nodes)


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
        return None  # `set` says what is wrong

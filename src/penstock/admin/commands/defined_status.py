"""Status of topics and subscriptions as far as their definitions tell it.

Used where publish/subscribe does not run beside the engine: a topic node is where a TOPIC object stands,
what is ASPARENT is resolved upwards to SYSTEM.BASE.TOPIC, and nothing has been published yet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.admin.rows import row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.admin.context import Context
    from penstock.qmgr.attributes import Value

BASE_TOPIC = "SYSTEM.BASE.TOPIC"
MODELS = frozenset({"SYSTEM.DEFAULT.SUB"})
RESOLVED = (
    *("MDURMDL", "MNDURMDL", "DEFPSIST", "DEFPRTY", "DEFPRESP", "DURSUB", "PUB", "SUB"),
    *("PMSGDLV", "NPMSGDLV", "MCAST", "COMMINFO", "PUBSCOPE", "SUBSCOPE", "USEDLQ", "CAPEXPRY"),
)


def defined_status(context: Context, kind: str) -> Iterator[dict[str, Value]]:
    """Yield the status rows of TOPIC or SUB; nothing for other kinds."""
    if kind == "TOPIC":
        return _topics(context)
    return _subscriptions(context) if kind == "SUB" else iter(())


def _topics(context: Context) -> Iterator[dict[str, Value]]:
    objects = context.engine.objects.all("TOPIC")
    nodes = {
        str(each.attributes.get("TOPICSTR", "")): each for each in objects if each.attributes.get("TOPICSTR")
    }
    base = context.engine.objects.find("TOPIC", BASE_TOPIC)
    for text, definition in sorted(nodes.items()):
        above = [nodes[part].attributes for part in _parents(text) if part in nodes]
        path = [definition.attributes, *above, *([base.attributes] if base is not None else [])]
        found: dict[str, Value] = {"TOPICSTR": text, "ADMIN": definition.name}
        for name in RESOLVED:
            found[name] = next(
                (each[name] for each in path if each.get(name) not in ("ASPARENT", "", None)), ""
            )
        yield found | {"RETAINED": "NO", "PUBCOUNT": 0, "SUBCOUNT": 0}


def _parents(text: str) -> Iterator[str]:
    """Yield the topic strings above one, the nearest first; both `a/b` and `a/b/` are nodes above `a/b/c`."""
    while "/" in text:
        text = text.rpartition("/")[0]
        yield text + "/"
        yield text


def _subscriptions(context: Context) -> Iterator[dict[str, Value]]:
    for definition in context.engine.objects.all("SUB"):
        if definition.name in MODELS:
            continue
        known = row(context.engine, definition, ("DURABLE", "SUBTYPE", "CRDATE", "CRTIME"), context.now)
        yield {
            "SUB": definition.name,
            "SUBID": known["SUBID"],
            "SUBUSER": definition.attributes.get("SUBUSER", ""),
            "RESMDATE": known["CRDATE"],
            "RESMTIME": known["CRTIME"],
            "LMSGDATE": "",
            "LMSGTIME": "",
            "ACTCONN": "0" * 48,
            "DURABLE": known["DURABLE"],
            "SUBTYPE": known["SUBTYPE"],
            "NUMMSGS": 0,
        }

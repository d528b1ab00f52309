"""Rows of nodes that keep messages: Collector, Sequence, Resequence, and those of groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.importer.row import Row, flags, one_of, seconds, texts
from penstock.flow.importer.rows_routing import namespaces

if TYPE_CHECKING:
    from penstock.flow.importer.description import NodeDescription

GROUP_REQUEST = flags(AddRequestToGroup="add_to_group") | texts(GroupRequestFolderName="group_folder")
_STATE = frozenset({"persistenceMode", "configurableService", "policyUrl"})


def _handlers(node: NodeDescription) -> dict[str, Any]:
    """Return the table of input terminals; one that is not in it takes one message."""
    table = {row.get("terminal", ""): row for row in node.tables.get("eventHandlerPropertyTable", [])}
    names = dict.fromkeys(row.get("label", "") for row in node.tables.get("inTerminals", []))
    rows = [
        (
            name,
            int(row.get("quantity") or 0),
            float(row.get("timeout") or 0),
            row.get("correlationPath", "").strip(),
            row.get("correlationPattern", ""),
        )
        for name in {**names, **dict.fromkeys(table)}
        for row in [table.get(name, {"quantity": "1"})]
    ]
    return {"handlers": rows, **({"namespaces": namespaces(node)} if namespaces(node) else {})}


def _spaces(node: NodeDescription) -> dict[str, Any]:
    return {"namespaces": namespaces(node)} if namespaces(node) else {}


ROWS = {
    "ComIbmCollector": Row(
        "Collector",
        texts(collectionName="collection")
        | {
            "collectionExpiry": ("expiry", seconds),
            "eventCoordination": (
                "coordination",
                one_of(
                    Disabled="disabled",
                    AllCompleteCollections="allCompleteCollections",
                    FirstCompleteCollection="firstCompleteCollection",
                ),
            ),
        },
        tables=_handlers,
        silent=_STATE,
    ),
    "ComIbmSequence": Row(
        "Sequence",
        texts(
            pathToStoreSequenceNo="store",
            correlationPath="correlation",
            startOfSequence="start_of",
            endOfSequence="end_of",
        ),
        tables=_spaces,
        silent=_STATE,
    ),
    "ComIbmReSequence": Row(
        "Resequence",
        texts(
            sequencePath="number",
            correlationPath="correlation",
            startOfSequence="start_of",
            endOfSequence="end_of",
        )
        | {"missingMessageTimeout": ("timeout", seconds)},
        tables=_spaces,
        silent=_STATE,
    ),
    "ComIbmGroupScatter": Row(
        "GroupScatter", texts(GroupName="group") | {"GroupTimeout": ("timeout", seconds)}
    ),
    "ComIbmGroupGather": Row(
        "GroupGather", texts(GroupName="group") | {"UnknownMessageTimeout": ("unknown_timeout", seconds)}
    ),
    "ComIbmGroupComplete": Row("GroupComplete", texts(GroupName="group")),
}

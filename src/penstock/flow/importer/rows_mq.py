"""Rows of nodes that get, put and publish messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.importer.row import CONNECTION, MESSAGE, Row, flags, one_of, seconds, texts
from penstock.flow.importer.rows_events import GROUP_REQUEST
from penstock.model import constants as mq

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.flow.importer.description import NodeDescription


def _number_or(default: int) -> Callable[[str], int]:
    """Return a conversion to a whole number; an empty text gives the default."""
    return lambda text: int(text) if text.strip() else default


def _milliseconds(text: str) -> float:
    return float(text) / 1000


def _browse_again(text: str) -> float:
    """Return seconds; -1 is never."""
    return max(0.0, float(text) / 1000)


MQMD_FIELDS = (
    *("CodedCharSetId", "Format", "Version", "MsgType", "Expiry", "Feedback", "Priority", "Persistence"),
    *("MsgId", "CorrelId", "ReplyToQ", "ReplyToQMgr"),
)
MQDLH_FIELDS = ("Reason", "DestQName", "DestQMgrName", "CodedCharSetId", "Format", "PutApplName")
MQMD_PROPERTIES = frozenset({"mqmdAAAOptions", *(f"mqmd{name}" for name in MQMD_FIELDS)})
MQDLH_PROPERTIES = frozenset({"mqdlhAAAOptions", *(f"mqdlh{name}" for name in MQDLH_FIELDS)})
HEADER_ACTIONS = {"Add header": "add", "Modify header": "modify", "Delete header": "delete"}


def _headers(node: NodeDescription) -> dict[str, Any]:
    """Return actions and fields of an MQHeader; fields are the names of constants, or their text."""
    actions: dict[str, str] = {}
    fields: dict[str, dict[str, Any]] = {}
    for header, names in (("MQMD", MQMD_FIELDS), ("MQDLH", MQDLH_FIELDS)):
        prefix = header.lower()
        action = HEADER_ACTIONS.get(node.properties.get(f"{prefix}AAAOptions", ""))
        if action is None:
            continue
        actions[header] = action
        given = {name: _constant(node.properties.get(f"{prefix}{name}", "")) for name in names}
        kept = {name: value for name, value in given.items() if value != ""}
        if kept and action != "delete":
            fields[header] = kept
    return {"actions": actions, "fields": fields}


def _constant(text: str) -> Any:
    """Return the value of an MQ constant by its name, a number, or the text itself."""
    value = getattr(mq, text, text) if text.startswith("MQ") else text
    return int(value) if isinstance(value, str) and value.lstrip("-").isdigit() else value


ROWS = {
    "ComIbmMQInput": Row(
        "MQInput",
        MESSAGE
        | texts(queueName="queue", transactionMode="transaction", topicProperty="topic")
        | flags(
            logicalOrder="logical_order", allMsgsAvailable="all_available", convert="convert", browse="browse"
        )
        | {
            "orderMode": ("order", one_of(default="none")),
            "validateMaster": ("validate", one_of(inherit="none")),
            "convertEncoding": ("convert_encoding", _number_or(mq.MQENC_NATIVE)),
            "convertCodedCharSetId": ("convert_ccsid", _number_or(0)),
            "resetBrowseTimeout": ("browse_again", _browse_again),
        },
        silent=CONNECTION,
    ),
    "ComIbmMQOutput": Row(
        "MQOutput",
        texts(
            queueName="queue",
            queueManagerName="qmgr",
            destinationMode="destination",
            transactionMode="transaction",
            persistenceMode="persistence",
            messageContext="context",
            replyToQ="reply_to",
            replyToQMgr="reply_to_qmgr",
            validateMaster="validate",
        )
        | flags(newMsgId="new_msg_id", newCorrelId="new_correl_id", request="request")
        | GROUP_REQUEST,
        silent=CONNECTION,
    ),
    "ComIbmMQReply": Row(
        "MQReply",
        texts(transactionMode="transaction", persistenceMode="persistence", validateMaster="validate"),
        silent=CONNECTION,
    ),
    "ComIbmMQGet": Row(
        "MQGet",
        MESSAGE
        | texts(
            queueName="queue",
            transactionMode="transaction",
            generateMode="generate",
            inputMQMDLocation="mqmd",
            inputParametersLocation="parameters",
            outputDataLocation="output",
            resultDataLocation="result",
        )
        | flags(
            browse="browse",
            browseFirst="reset_browse_cursor",
            getWithMessageID="get_with_msg_id",
            getWithCorrelID="get_with_correl_id",
            convert="convert",
        )
        | {
            "waitInterval": ("wait", _milliseconds),
            "copyLocalEnv": (
                "copy_local_environment",
                one_of(copyEntireLocalEnvironment=True, none=False),
            ),
            "copyMessage": ("copy_message", one_of(copyEntireMessage="entire", copyHeaders="headers")),
        },
        silent=CONNECTION,
    ),
    "ComIbmMQHeader": Row("MQHeader", tables=_headers, silent=MQMD_PROPERTIES | MQDLH_PROPERTIES),
    "ComIbmPublication": Row("Publication", silent=frozenset({"implicitStreamNaming", "subscriptionPoint"})),
    "ComIbmTimeoutNotification": Row(
        "TimeoutNotification",
        texts(uniqueIdentifier="identifier", operationMode="mode", transactionMode="transaction")
        | {"timeoutInterval": ("interval", seconds)},
    ),
    "ComIbmTimeoutControl": Row(
        "TimeoutControl",
        texts(uniqueIdentifier="identifier", requestLocation="request", requestPersistence="persistence"),
    ),
    "ComIbmAggregateControl": Row(
        "AggregateControl",
        texts(aggregateName="aggregate") | {"timeoutInterval": ("timeout", seconds)},
    ),
    "ComIbmAggregateRequest": Row("AggregateRequest", texts(folderName="folder")),
    "ComIbmAggregateReply": Row(
        "AggregateReply",
        texts(aggregateName="aggregate")
        | {
            "unsolicitedTimeout": ("unknown_timeout", seconds),
            "transactionMode": ("transaction", one_of(true="yes", false="no")),
        },
    ),
}

"""Rows of nodes that get, put and publish messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.flow.importer.row import CONNECTION, MESSAGE, Row, flag, flags, one_of, seconds, texts

if TYPE_CHECKING:
    from penstock.flow.importer.description import NodeDescription

DOMAIN_NAMES = frozenset({"resetBrowseTimeout"})


def _browsing(node: NodeDescription) -> str | None:
    return (
        "an MQInput that only browses would take the messages here"
        if flag(node.properties.get("browse", ""))
        else None
    )


ROWS = {
    "ComIbmMQInput": Row(
        "MQInput",
        MESSAGE
        | texts(queueName="queue", transactionMode="transaction", topicProperty="topic")
        | flags(logicalOrder="logical_order", allMsgsAvailable="all_available", convert="convert")
        | {"orderMode": ("order", one_of(default="none", byQueueOrder="byArrival"))},
        silent=CONNECTION | DOMAIN_NAMES | {"browse", "convertEncoding", "convertCodedCharSetId"},
        refuse=_browsing,
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
        | flags(newMsgId="new_msg_id", newCorrelId="new_correl_id", request="request"),
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
            generateMode="generate_mode",
            copyMessage="copy_message",
            inputMQMDLocation="input_mqmd_location",
            outputDataLocation="output_location",
            resultDataLocation="result_location",
        )
        | flags(
            browse="browse",
            browseFirst="browse_first",
            getWithMessageID="by_msg_id",
            getWithCorrelID="by_correl_id",
        )
        | {"waitInterval": ("wait", lambda text: float(text) / 1000)},
        silent=CONNECTION,
    ),
    "ComIbmPublication": Row("Publication", texts(implicitStreamNaming="implicit_stream_naming")),
    "ComIbmTimeoutNotification": Row(
        "TimeoutNotification",
        texts(uniqueIdentifier="identifier", operationMode="mode", transactionMode="transaction")
        | {"timeoutInterval": ("interval", seconds)},
    ),
    "ComIbmTimeoutControl": Row(
        "TimeoutControl",
        texts(uniqueIdentifier="identifier", requestLocation="location", requestPersistence="persistence"),
    ),
    "ComIbmAggregateControl": Row(
        "AggregateControl",
        texts(aggregateName="aggregate") | {"timeoutInterval": ("timeout", seconds)},
    ),
    "ComIbmAggregateRequest": Row("AggregateRequest", texts(folderName="folder")),
    "ComIbmAggregateReply": Row(
        "AggregateReply",
        texts(aggregateName="aggregate", transactionMode="transaction")
        | {"unsolicitedTimeout": ("unknown_timeout", seconds)},
    ),
}

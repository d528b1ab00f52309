"""Rows of JMS nodes: the JMS provider is our queue manager, and a JNDI name is the name of a queue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.importer.row import CONNECTION, MESSAGE, Row, flags, one_of, texts

if TYPE_CHECKING:
    from penstock.flow.importer.description import NodeDescription

_PROVIDER = CONNECTION | {
    *("jmsProviderName", "initialContextFactory", "locationJndiBindings", "connectionFactoryName"),
    *("backoutDestination", "backoutThreshold", "clientId", "connectionUrl", "connectionSecurity"),
    *("messageSetProperty", "reportOptions", "deliveryMode", "messagePriority", "messageExpiration"),
}
_TRANSACTION = {"transactionMode": ("transaction", one_of(none="no", local="yes", global_="yes"))}
_ACTIONS = {"Add header": "add", "Modify header": "modify", "Delete header": "delete"}
_FIELDS = {
    name: f"JMS{name.removeprefix('jms')}"
    for name in (
        "jmsDeliveryMode",
        "jmsExpiration",
        "jmsPriority",
        "jmsCorrelationID",
        "jmsReplyTo",
        "jmsType",
    )
}


def _topics(node: NodeDescription) -> str | None:
    topic = node.properties.get("subscriptionTopic", "") or node.properties.get("publicationTopic", "")
    if topic:
        return f"topic {topic!r}: define a subscription to a queue, or use a Publication node"
    return None


def _header(node: NodeDescription) -> dict[str, Any]:
    """Return the action of a JMSHeader, and its fields if it adds or changes them."""
    action = _ACTIONS.get(node.properties.get("jmsHeaderOptions", ""), "carryForward")
    if action not in ("add", "modify"):
        return {"action": action}
    given = {ours: node.properties.get(name, "") for name, ours in _FIELDS.items()}
    application = {
        row.get("name", ""): row.get("value", "") for row in node.tables.get("jmsApplicationProperties", [])
    }
    fields = {name: value for name, value in given.items() if value}
    return {"action": action, "fields": fields, **({"application": application} if application else {})}


ROWS = {
    "ComIbmJMSClientInput": Row(
        "JMSInput",
        MESSAGE | texts(sourceQueueName="queue", messageSelector="selector") | _TRANSACTION,
        silent=_PROVIDER | {"subscriptionTopic", "durableSubscriptionID"},
        refuse=_topics,
    ),
    "ComIbmJMSClientReceive": Row(
        "JMSReceive",
        MESSAGE | texts(sourceQueueName="queue", outputDataLocation="output", resultDataLocation="result"),
        silent=_PROVIDER | {"subscriptionTopic", "durableSubscriptionID", "transactionMode"},
        refuse=_topics,
    ),
    "ComIbmJMSClientOutput": Row(
        "JMSOutput",
        texts(destinationQueueName="queue", replyToDestination="reply_to", validateMaster="validate")
        | flags(
            useDistList="use_list",
            sendToDestListInLocalEnvironment="use_list",
            sendToReplyToDestination="use_reply_to",
            newCorrelId="new_correl_id",
        )
        | _TRANSACTION,
        silent=_PROVIDER | {"publicationTopic"},
        refuse=_topics,
    ),
    "ComIbmJMSClientReply": Row(
        "JMSReply", texts(validateMaster="validate") | _TRANSACTION, silent=_PROVIDER
    ),
    "ComIbmJMSHeader": Row(
        "JMSHeader", tables=_header, silent=frozenset({"jmsHeaderOptions", *_FIELDS, "clearAppProperties"})
    ),
    "ComIbmMQJMSTransform": Row("MQJMSTransform"),
    "ComIbmJMSMQTransform": Row("JMSMQTransform"),
}

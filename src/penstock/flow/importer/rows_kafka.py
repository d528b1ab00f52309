"""Rows of Kafka nodes, also of the older connector nodes."""

from __future__ import annotations

from penstock.flow.importer.row import CONNECTION, MESSAGE, Row, seconds, texts

_CLUSTER = texts(
    topicName="topic", bootstrapServers="servers", clientId="client_id", securityProtocol="security"
)
_REST = CONNECTION | {
    *("connectorName", "useClientIdSuffix", "sslProtocol", "enableAutoCommit", "connectionTimeout"),
    *("sessionTimeout", "receiveBatchSize", "validateMaster", "parserXmlnscBuildTreeUsingXMLSchema"),
    *("parserXmlnscUseForXmlnsDomain", "parserXmlnscMixedContentRetainMode", "saslConfig"),
    *("parserXmlnscCommentsRetainMode", "parserXmlnscProcessingInstructionsRetainMode", "saslMechanism"),
    *("parserXmlnscOpaqueElements", "messageSetProperty", "parserJsonCreateBooleans"),
}
_CONSUMER = Row(
    "KafkaConsumer",
    MESSAGE | _CLUSTER | texts(groupId="group", initialOffset="offset", defaultMessageOffset="offset"),
    silent=_REST,
)
_PRODUCER = Row(
    "KafkaProducer",
    _CLUSTER | texts(acks="acks", validateMaster="validate") | {"timeout": ("timeout", seconds)},
    silent=_REST,
)

ROWS = {
    "ComIbmKafkaMsgConsumer": _CONSUMER,
    "com_ibm_connector_kafka_ComIbmEventInput": _CONSUMER,
    "ComIbmKafkaMsgProducer": _PRODUCER,
    "com_ibm_connector_kafka_ComIbmOutput": _PRODUCER,
    "ComIbmKafkaMsgRead": Row(
        "KafkaRead",
        MESSAGE
        | _CLUSTER
        | {
            "partitionNumber": ("partition", int),
            "messageOffset": ("offset", int),
            "timeout": ("timeout", seconds),
        },
        silent=_REST | {"groupId"},
    ),
}

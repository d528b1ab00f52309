"""The nodes of flows, one module each; `from penstock.flow import nodes` has them all.

A node's module is imported at the first use of the node: a flow that reads a queue does not load HTTP, YAML
and XSL. `PLACES` maps nodes to modules.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from penstock.flow.nodes.aggregate_control import AggregateControl
    from penstock.flow.nodes.aggregate_reply import AggregateReply
    from penstock.flow.nodes.aggregate_request import AggregateRequest
    from penstock.flow.nodes.callable_flow_async_invoke import CallableFlowAsyncInvoke
    from penstock.flow.nodes.callable_flow_async_response import CallableFlowAsyncResponse
    from penstock.flow.nodes.callable_flow_input import CallableFlowInput
    from penstock.flow.nodes.callable_flow_invoke import CallableFlowInvoke
    from penstock.flow.nodes.callable_flow_reply import CallableFlowReply
    from penstock.flow.nodes.collector import Collector
    from penstock.flow.nodes.compute import Compute
    from penstock.flow.nodes.database import Database
    from penstock.flow.nodes.database_input import DatabaseInput
    from penstock.flow.nodes.database_retrieve import DatabaseRetrieve
    from penstock.flow.nodes.database_route import DatabaseRoute
    from penstock.flow.nodes.email_output import EmailOutput
    from penstock.flow.nodes.file_input import FileInput
    from penstock.flow.nodes.file_output import FileOutput
    from penstock.flow.nodes.file_read import FileRead
    from penstock.flow.nodes.filter import Filter
    from penstock.flow.nodes.flow_order import FlowOrder
    from penstock.flow.nodes.http_async_request import HTTPAsyncRequest
    from penstock.flow.nodes.http_async_response import HTTPAsyncResponse
    from penstock.flow.nodes.http_header import HTTPHeader
    from penstock.flow.nodes.http_input import HTTPInput
    from penstock.flow.nodes.http_reply import HTTPReply
    from penstock.flow.nodes.http_request import HTTPRequest
    from penstock.flow.nodes.jms_header import JMSHeader
    from penstock.flow.nodes.jms_input import JMSInput
    from penstock.flow.nodes.jms_mq_transform import JMSMQTransform
    from penstock.flow.nodes.jms_output import JMSOutput
    from penstock.flow.nodes.jms_receive import JMSReceive
    from penstock.flow.nodes.jms_reply import JMSReply
    from penstock.flow.nodes.kafka_consumer import KafkaConsumer
    from penstock.flow.nodes.kafka_producer import KafkaProducer
    from penstock.flow.nodes.kafka_read import KafkaRead
    from penstock.flow.nodes.label import Label
    from penstock.flow.nodes.log import Log
    from penstock.flow.nodes.mapping import Mapping
    from penstock.flow.nodes.mq_get import MQGet
    from penstock.flow.nodes.mq_header import MQHeader
    from penstock.flow.nodes.mq_input import MQInput
    from penstock.flow.nodes.mq_jms_transform import MQJMSTransform
    from penstock.flow.nodes.mq_output import MQOutput
    from penstock.flow.nodes.mq_reply import MQReply
    from penstock.flow.nodes.passthrough import Passthrough
    from penstock.flow.nodes.publication import Publication
    from penstock.flow.nodes.python_compute import PythonCompute
    from penstock.flow.nodes.resequence import Resequence
    from penstock.flow.nodes.reset_content_descriptor import ResetContentDescriptor
    from penstock.flow.nodes.route import Route
    from penstock.flow.nodes.route_to_label import RouteToLabel
    from penstock.flow.nodes.sequence import Sequence
    from penstock.flow.nodes.soap_async_request import SOAPAsyncRequest
    from penstock.flow.nodes.soap_async_response import SOAPAsyncResponse
    from penstock.flow.nodes.soap_envelope import SOAPEnvelope
    from penstock.flow.nodes.soap_extract import SOAPExtract
    from penstock.flow.nodes.soap_input import SOAPInput
    from penstock.flow.nodes.soap_reply import SOAPReply
    from penstock.flow.nodes.soap_request import SOAPRequest
    from penstock.flow.nodes.subflow import Input, Output, Subflow
    from penstock.flow.nodes.tcpip_input import TCPIPClientInput, TCPIPServerInput
    from penstock.flow.nodes.tcpip_output import TCPIPClientOutput, TCPIPServerOutput
    from penstock.flow.nodes.tcpip_receive import TCPIPClientReceive, TCPIPServerReceive
    from penstock.flow.nodes.throw import Throw
    from penstock.flow.nodes.timeout_control import TimeoutControl
    from penstock.flow.nodes.timeout_notification import TimeoutNotification
    from penstock.flow.nodes.trace import Trace
    from penstock.flow.nodes.try_catch import TryCatch
    from penstock.flow.nodes.unavailable import Unavailable
    from penstock.flow.nodes.validate import Validate
    from penstock.flow.nodes.xsl_transform import XSLTransform

PLACES = {
    "AggregateControl": "aggregate_control",
    "AggregateReply": "aggregate_reply",
    "AggregateRequest": "aggregate_request",
    "CallableFlowAsyncInvoke": "callable_flow_async_invoke",
    "CallableFlowAsyncResponse": "callable_flow_async_response",
    "CallableFlowInput": "callable_flow_input",
    "CallableFlowInvoke": "callable_flow_invoke",
    "CallableFlowReply": "callable_flow_reply",
    "Collector": "collector",
    "Compute": "compute",
    "Database": "database",
    "DatabaseInput": "database_input",
    "DatabaseRetrieve": "database_retrieve",
    "DatabaseRoute": "database_route",
    "EmailOutput": "email_output",
    "FileInput": "file_input",
    "FileOutput": "file_output",
    "FileRead": "file_read",
    "Filter": "filter",
    "FlowOrder": "flow_order",
    "HTTPAsyncRequest": "http_async_request",
    "HTTPAsyncResponse": "http_async_response",
    "HTTPHeader": "http_header",
    "HTTPInput": "http_input",
    "HTTPReply": "http_reply",
    "HTTPRequest": "http_request",
    "Input": "subflow",
    "JMSHeader": "jms_header",
    "JMSInput": "jms_input",
    "JMSMQTransform": "jms_mq_transform",
    "JMSOutput": "jms_output",
    "JMSReceive": "jms_receive",
    "JMSReply": "jms_reply",
    "KafkaConsumer": "kafka_consumer",
    "KafkaProducer": "kafka_producer",
    "KafkaRead": "kafka_read",
    "Label": "label",
    "Log": "log",
    "MQGet": "mq_get",
    "MQHeader": "mq_header",
    "MQInput": "mq_input",
    "MQJMSTransform": "mq_jms_transform",
    "MQOutput": "mq_output",
    "MQReply": "mq_reply",
    "Mapping": "mapping",
    "Output": "subflow",
    "Passthrough": "passthrough",
    "Publication": "publication",
    "PythonCompute": "python_compute",
    "Resequence": "resequence",
    "ResetContentDescriptor": "reset_content_descriptor",
    "Route": "route",
    "RouteToLabel": "route_to_label",
    "SOAPAsyncRequest": "soap_async_request",
    "SOAPAsyncResponse": "soap_async_response",
    "SOAPEnvelope": "soap_envelope",
    "SOAPExtract": "soap_extract",
    "SOAPInput": "soap_input",
    "SOAPReply": "soap_reply",
    "SOAPRequest": "soap_request",
    "Sequence": "sequence",
    "Subflow": "subflow",
    "TCPIPClientInput": "tcpip_input",
    "TCPIPClientOutput": "tcpip_output",
    "TCPIPClientReceive": "tcpip_receive",
    "TCPIPServerInput": "tcpip_input",
    "TCPIPServerOutput": "tcpip_output",
    "TCPIPServerReceive": "tcpip_receive",
    "Throw": "throw",
    "TimeoutControl": "timeout_control",
    "TimeoutNotification": "timeout_notification",
    "Trace": "trace",
    "TryCatch": "try_catch",
    "Unavailable": "unavailable",
    "Validate": "validate",
    "XSLTransform": "xsl_transform",
}

__all__ = [
    "AggregateControl",
    "AggregateReply",
    "AggregateRequest",
    "CallableFlowAsyncInvoke",
    "CallableFlowAsyncResponse",
    "CallableFlowInput",
    "CallableFlowInvoke",
    "CallableFlowReply",
    "Collector",
    "Compute",
    "Database",
    "DatabaseInput",
    "DatabaseRetrieve",
    "DatabaseRoute",
    "EmailOutput",
    "FileInput",
    "FileOutput",
    "FileRead",
    "Filter",
    "FlowOrder",
    "HTTPAsyncRequest",
    "HTTPAsyncResponse",
    "HTTPHeader",
    "HTTPInput",
    "HTTPReply",
    "HTTPRequest",
    "Input",
    "JMSHeader",
    "JMSInput",
    "JMSMQTransform",
    "JMSOutput",
    "JMSReceive",
    "JMSReply",
    "KafkaConsumer",
    "KafkaProducer",
    "KafkaRead",
    "Label",
    "Log",
    "MQGet",
    "MQHeader",
    "MQInput",
    "MQJMSTransform",
    "MQOutput",
    "MQReply",
    "Mapping",
    "Output",
    "Passthrough",
    "Publication",
    "PythonCompute",
    "Resequence",
    "ResetContentDescriptor",
    "Route",
    "RouteToLabel",
    "SOAPAsyncRequest",
    "SOAPAsyncResponse",
    "SOAPEnvelope",
    "SOAPExtract",
    "SOAPInput",
    "SOAPReply",
    "SOAPRequest",
    "Sequence",
    "Subflow",
    "TCPIPClientInput",
    "TCPIPClientOutput",
    "TCPIPClientReceive",
    "TCPIPServerInput",
    "TCPIPServerOutput",
    "TCPIPServerReceive",
    "Throw",
    "TimeoutControl",
    "TimeoutNotification",
    "Trace",
    "TryCatch",
    "Unavailable",
    "Validate",
    "XSLTransform",
]


def __getattr__(name: str) -> Any:
    """Import the module of a node at its first use."""
    if name not in PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    node = getattr(import_module(f"{__name__}.{PLACES[name]}"), name)
    globals()[name] = node
    return node


def __dir__() -> list[str]:
    return sorted({*globals(), *PLACES})

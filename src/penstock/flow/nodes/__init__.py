"""The nodes of flows, one module each; `from penstock.flow import nodes` has them all."""

from penstock.flow.nodes.aggregate_control import AggregateControl
from penstock.flow.nodes.aggregate_reply import AggregateReply
from penstock.flow.nodes.aggregate_request import AggregateRequest
from penstock.flow.nodes.compute import Compute
from penstock.flow.nodes.database import Database
from penstock.flow.nodes.database_retrieve import DatabaseRetrieve
from penstock.flow.nodes.file_input import FileInput
from penstock.flow.nodes.file_output import FileOutput
from penstock.flow.nodes.file_read import FileRead
from penstock.flow.nodes.filter import Filter
from penstock.flow.nodes.flow_order import FlowOrder
from penstock.flow.nodes.http_input import HTTPInput
from penstock.flow.nodes.http_reply import HTTPReply
from penstock.flow.nodes.http_request import HTTPRequest
from penstock.flow.nodes.label import Label
from penstock.flow.nodes.mapping import Mapping
from penstock.flow.nodes.mq_get import MQGet
from penstock.flow.nodes.mq_header import MQHeader
from penstock.flow.nodes.mq_input import MQInput
from penstock.flow.nodes.mq_output import MQOutput
from penstock.flow.nodes.mq_reply import MQReply
from penstock.flow.nodes.passthrough import Passthrough
from penstock.flow.nodes.publication import Publication
from penstock.flow.nodes.python_compute import PythonCompute
from penstock.flow.nodes.reset_content_descriptor import ResetContentDescriptor
from penstock.flow.nodes.route import Route
from penstock.flow.nodes.route_to_label import RouteToLabel
from penstock.flow.nodes.soap_envelope import SOAPEnvelope
from penstock.flow.nodes.soap_extract import SOAPExtract
from penstock.flow.nodes.soap_input import SOAPInput
from penstock.flow.nodes.soap_reply import SOAPReply
from penstock.flow.nodes.soap_request import SOAPRequest
from penstock.flow.nodes.subflow import Input, Output, Subflow
from penstock.flow.nodes.throw import Throw
from penstock.flow.nodes.timeout_control import TimeoutControl
from penstock.flow.nodes.timeout_notification import TimeoutNotification
from penstock.flow.nodes.trace import Trace
from penstock.flow.nodes.try_catch import TryCatch
from penstock.flow.nodes.unavailable import Unavailable
from penstock.flow.nodes.validate import Validate
from penstock.flow.nodes.xsl_transform import XSLTransform

__all__ = [
    "AggregateControl",
    "AggregateReply",
    "AggregateRequest",
    "Compute",
    "Database",
    "DatabaseRetrieve",
    "FileInput",
    "FileOutput",
    "FileRead",
    "Filter",
    "FlowOrder",
    "HTTPInput",
    "HTTPReply",
    "HTTPRequest",
    "Input",
    "Label",
    "MQGet",
    "MQHeader",
    "MQInput",
    "MQOutput",
    "MQReply",
    "Mapping",
    "Output",
    "Passthrough",
    "Publication",
    "PythonCompute",
    "ResetContentDescriptor",
    "Route",
    "RouteToLabel",
    "SOAPEnvelope",
    "SOAPExtract",
    "SOAPInput",
    "SOAPReply",
    "SOAPRequest",
    "Subflow",
    "Throw",
    "TimeoutControl",
    "TimeoutNotification",
    "Trace",
    "TryCatch",
    "Unavailable",
    "Validate",
    "XSLTransform",
]

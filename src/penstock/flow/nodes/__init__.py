"""The nodes of flows, one module each; `from penstock.flow import nodes` has them all."""

from penstock.flow.nodes.compute import Compute
from penstock.flow.nodes.filter import Filter
from penstock.flow.nodes.label import Label
from penstock.flow.nodes.mq_input import MQInput
from penstock.flow.nodes.mq_output import MQOutput
from penstock.flow.nodes.subflow import Input, Output, Subflow
from penstock.flow.nodes.unavailable import Unavailable

__all__ = ["Compute", "Filter", "Input", "Label", "MQInput", "MQOutput", "Output", "Subflow", "Unavailable"]

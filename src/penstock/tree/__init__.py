"""The message tree: one tree for all formats.

`parse` makes a `Message` from bytes, `Path` names a field, `Reference` is a movable position.
Values are decoded when they are asked for, bodies parsed when they are touched, and what nobody
changed is written as it came. Formats are domains, entered in a register by name. A tree belongs to
one thread; hand over a `copy()`. This room knows bytes and trees; it does not know queues or flows.

>>> total = Path("XMLNSC", "Order", "Total")
>>> message = parse(b"<Order><Total>5</Total></Order>", domain="XMLNSC")
>>> message.get(total)
'5'
>>> message.set(total, 6)
>>> message.serialise()
b'<Order><Total>6</Total></Order>'
"""

from penstock.tree import builtin as _builtin
from penstock.tree.assembly import parse_message, serialise_message
from penstock.tree.bitstream import bitstream, parse_into
from penstock.tree.core._arena import Domain
from penstock.tree.core._domains import domain_names, register, register_modelled
from penstock.tree.core._limits import Limits
from penstock.tree.core._message import Message, parse
from penstock.tree.core._path import Path, Step
from penstock.tree.core._reference import Reference
from penstock.tree.core._types import JSON_TYPES, TYPE_CONSTANTS, XML_TYPES, XMLNSC_TYPES
from penstock.tree.core.missing import MISSING

del _builtin

__all__ = [
    "JSON_TYPES",
    "MISSING",
    "TYPE_CONSTANTS",
    "XMLNSC_TYPES",
    "XML_TYPES",
    "Domain",
    "Limits",
    "Message",
    "Path",
    "Reference",
    "Step",
    "bitstream",
    "domain_names",
    "parse",
    "parse_into",
    "parse_message",
    "register",
    "register_modelled",
    "serialise_message",
]

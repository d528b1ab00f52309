"""Attribute values of commands that were not written in MQSC, and what no command may set.

The catalogue (`qmgr/catalogue`) defines the attributes and their values. Words of MQSC are
checked by `words/values.py`, which points at the mistake; here a mistake is an MQError.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.admin.replies import Reply, failed
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.qmgr.catalogue.attributes import ValueRefused, attribute_called, refused
from penstock.qmgr.catalogue.system_objects import default_object

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.qmgr.catalogue.attributes import Value

EITHER_OR = (("REPOS", "REPOSNL"), ("CLUSTER", "CLUSNL"))
REQUIRED = (  # of channels: attribute, the types that need it, the reason code without it
    ("CONNAME", ("SDR", "RQSTR", "CLUSSDR", "CLNTCONN"), mq.MQRCCF_MISSING_CONN_NAME),
    ("XMITQ", ("SDR", "SVR"), mq.MQRCCF_XMIT_Q_NAME_ERROR),
)


def checked_values(kind: str, given: Mapping[str, Value], subtype: str = "") -> dict[str, Value]:
    """Return attributes by their names, checked and ready to store; MQError for the first invalid one."""
    found: dict[str, Value] = {}
    for name, value in given.items():
        attribute = attribute_called(kind, name, subtype)
        if attribute is None or attribute.read_only:
            raise error(mq.MQRCCF_PARM_VALUE_ERROR, f"{name} cannot be set for {kind}", attribute=name)
        try:
            checked = attribute.check(value)
        except ValueRefused as refusal:
            raise error(mq.MQRCCF_ATTR_VALUE_ERROR, f"{name}: {refusal.detail}", attribute=name) from refusal
        if why := attribute.refusal(checked):
            raise refused(attribute.name, why)
        found[attribute.name] = checked
    return found


def contradiction(kind: str, values: Mapping[str, Value]) -> Reply | None:
    """Return the failure if two attributes are set of which only one may be."""
    for one, other in EITHER_OR:
        if values.get(one) and values.get(other):
            return failed(
                "AMQ8432E",
                f"{kind}: only one of {one} and {other} may have a value.",
                mq.MQRCCF_ATTR_VALUE_ERROR,
            )
    return None


def check_required(kind: str, subtype: str, name: str, values: Mapping[str, Value]) -> None:
    """Refuse a channel that these values leave without its address or transmission queue: 4061, 4045.

    The SYSTEM object whose attributes new channels of the type copy may be without them.
    """
    if kind != "CHANNEL" or name == default_object(kind, subtype):
        return
    for attribute, subtypes, reason in REQUIRED:
        if subtype in subtypes and not str(values.get(attribute, name)).strip():
            raise error(reason, f"a {subtype} channel needs {attribute}: {name} has none", object=name)

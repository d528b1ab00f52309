"""Penstock: an MQ-style queue manager for Python people, and what grows on it.

The public names; each is loaded from its room when it is first used, so that `import penstock` and
`penstock --help` stay quick. Nothing else belongs here.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from penstock import aio
    from penstock.host.queue_manager import QueueManager, embed
    from penstock.host.subscription import Subscription
    from penstock.model.errors import (
        BackedOut,
        CommandError,
        ConnectionBroken,
        ConnectionError,
        DescriptorError,
        EsqlError,
        FlowError,
        FormatError,
        Inhibited,
        LimitReached,
        MessageTooBig,
        MQError,
        NoMessage,
        NotAuthorized,
        NotAvailable,
        NotOpen,
        ObjectChanged,
        ObjectExists,
        ObjectInUse,
        ObjectUnknown,
        OptionsError,
        PropertyError,
        QueueFull,
        Quiescing,
        SelectorError,
        StoreError,
        SubscriptionError,
        UnitOfWorkError,
    )
    from penstock.model.message import Descriptor, Message, Receipt
    from penstock.model.message_handle import MessageHandle
    from penstock.model.options import Close, Get, Match, MsgFlag, Open, Put, Report, Subscribe
    from penstock.wire.client.connect import connect
    from penstock.wire.client.queue_manager import ClientQueueManager

__version__ = "0.1.0"

__all__ = [
    "BackedOut",
    "ClientQueueManager",
    "Close",
    "CommandError",
    "ConnectionBroken",
    "ConnectionError",
    "Descriptor",
    "DescriptorError",
    "EsqlError",
    "FlowError",
    "FormatError",
    "Get",
    "Inhibited",
    "LimitReached",
    "MQError",
    "Match",
    "Message",
    "MessageFailed",
    "MessageHandle",
    "MessageTooBig",
    "MsgFlag",
    "NoMessage",
    "NotAuthorized",
    "NotAvailable",
    "NotOpen",
    "ObjectChanged",
    "ObjectExists",
    "ObjectInUse",
    "ObjectUnknown",
    "Open",
    "OptionsError",
    "PropertyError",
    "Put",
    "QueueFull",
    "QueueManager",
    "Quiescing",
    "Receipt",
    "Report",
    "SelectorError",
    "StoreError",
    "Subscribe",
    "Subscription",
    "SubscriptionError",
    "UnitOfWorkError",
    "aio",
    "connect",
    "embed",
]

_ROOMS = {
    "penstock.host.queue_manager": ("QueueManager", "embed"),
    "penstock.host.subscription": ("Subscription",),
    "penstock.model.errors": (
        "BackedOut",
        "CommandError",
        "ConnectionBroken",
        "ConnectionError",
        "DescriptorError",
        "EsqlError",
        "FlowError",
        "FormatError",
        "Inhibited",
        "LimitReached",
        "MessageTooBig",
        "MQError",
        "NoMessage",
        "NotAuthorized",
        "NotAvailable",
        "NotOpen",
        "ObjectChanged",
        "ObjectExists",
        "ObjectInUse",
        "ObjectUnknown",
        "OptionsError",
        "PropertyError",
        "QueueFull",
        "Quiescing",
        "SelectorError",
        "StoreError",
        "SubscriptionError",
        "UnitOfWorkError",
    ),
    "penstock.model.message": ("Descriptor", "Message", "Receipt"),
    "penstock.model.message_handle": ("MessageHandle",),
    "penstock.wire.client.connect": ("connect",),
    "penstock.wire.client.queue_manager": ("ClientQueueManager",),
    "penstock.model.options": ("Close", "Get", "Match", "MsgFlag", "Open", "Put", "Report", "Subscribe"),
}
_PLACES = {name: room for room, names in _ROOMS.items() for name in names}


def __getattr__(name: str) -> Any:
    if name == "aio":
        return import_module("penstock.aio")
    place = _PLACES.get(name)
    if place is None:
        raise AttributeError(f"module 'penstock' has no attribute {name!r}")
    value = getattr(import_module(place), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])

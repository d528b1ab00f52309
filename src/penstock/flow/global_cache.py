"""The global cache: values by map and key, which all flows of a queue manager share.

Each value is a persistent message on SYSTEM.BROKER.CACHE; its correlation id is made of map and key. Nothing
here belongs to a unit of work. A new value is put before older ones are removed, and the last one counts:
readers see the old value or the new one, and of several writers one wins.
"""

from __future__ import annotations

import json
from decimal import Decimal
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from penstock.flow.aggregation.on_queues import define_missing
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.tree import MISSING

if TYPE_CHECKING:
    from penstock.face.blocking import BlockingQueueManager
    from penstock.flow.ports import Ports

QUEUE = "SYSTEM.BROKER.CACHE"
DEFAULT_MAP = "SYSTEM.BROKER.DEFAULTMAP"
MODES = ("insert", "update", "upsert")
_OPEN = mq.MQOO_BROWSE | mq.MQOO_INPUT_SHARED | mq.MQOO_OUTPUT
_OUTSIDE = mq.MQGMO_NO_SYNCPOINT


class GlobalCache:
    """The cache, as the ports of a flow reach it."""

    def __init__(self, ports: Ports) -> None:
        qm: BlockingQueueManager | None = getattr(ports, "qm", None)
        if qm is None:
            raise error(mq.PSRC_FLOW_ENGINE, "this engine has no global cache")
        self._qm = qm

    def get(self, map_: str, key: Any) -> Any:
        """Return a value; MISSING if there is none."""
        with self._opened() as handle:
            found = self._all(handle, _identity(map_, key))
        return MISSING if not found else _value(found[-1].body or b"")

    def put(self, map_: str, key: Any, value: Any, mode: str = "upsert") -> None:
        """Store a value; 8320 if `mode` insert finds one, or update finds none."""
        identity = _identity(map_, key)
        with self._opened() as handle:
            there = bool(self._all(handle, identity))
            if (mode == "insert" and there) or (mode == "update" and not there):
                what = "has a value already" if there else "has no value"
                raise error(mq.PSRC_FLOW_AGGREGATION, f"key {key!r} of map {map_} in the global cache {what}")
            handle.put(_stored(value), correl_id=identity, persistent=True, options=mq.MQPMO_NO_SYNCPOINT)
            for older in self._all(handle, identity)[:-1]:
                handle.get(msg_id=older.msg_id, options=_OUTSIDE, quiet=True)

    def remove(self, map_: str, key: Any) -> Any:
        """Remove a value and return it; MISSING if there is none."""
        found: Any = MISSING
        with self._opened() as handle:
            for each in self._all(handle, _identity(map_, key)):
                if handle.get(msg_id=each.msg_id, options=_OUTSIDE, quiet=True) is not None:
                    found = _value(each.body or b"")
        return found

    def _opened(self) -> Any:
        try:
            return self._qm.open(QUEUE, _OPEN)
        except MQError as raised:
            if raised.reason != mq.MQRC_UNKNOWN_OBJECT_NAME:
                raise
            define_missing(self._qm, (QUEUE,))
            return self._qm.open(QUEUE, _OPEN)

    def _all(self, handle: Any, identity: bytes) -> list[Any]:
        """Return the messages of a key, in the order in which they were put."""
        found = []
        option = mq.MQGMO_BROWSE_FIRST
        while (message := handle.get(correl_id=identity, options=option | _OUTSIDE, quiet=True)) is not None:
            found.append(message)
            option = mq.MQGMO_BROWSE_NEXT
        return found


def _identity(map_: str, key: Any) -> bytes:
    return blake2b(f"{map_}\0{key}".encode(), digest_size=24).digest()


def _stored(value: Any) -> bytes:
    if isinstance(value, bytes):
        return json.dumps({"bytes": value.hex()}).encode()
    if isinstance(value, Decimal):
        return json.dumps({"decimal": str(value)}).encode()
    plain = value if value is None or isinstance(value, (str, int, float)) else str(value)
    return json.dumps({"value": plain}).encode()


def _value(data: bytes) -> Any:
    found = json.loads(data)
    if "bytes" in found:
        return bytes.fromhex(found["bytes"])
    return Decimal(found["decimal"]) if "decimal" in found else found["value"]

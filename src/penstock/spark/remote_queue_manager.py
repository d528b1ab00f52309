"""How Spark's processes reach the queue manager: one connection per process, made again if it breaks.

Every step of a batch may be repeated without harm (`qmgr.batches`), so after a broken connection or a
restart of the queue manager a step is simply repeated, for a limited time. Options: `url`, an `mq://` address
or the name of a queue manager on this machine; `user`; `passwordFile` or `password`; `home`; `patience` in
seconds.
"""

from __future__ import annotations

import math
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import penstock
from penstock.client.address import is_address
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.spark.nearest_host import nearest_first

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from penstock.face.blocking import BlockingQueueManager

Answer = TypeVar("Answer")
BROKEN = frozenset(
    (
        mq.MQRC_CONNECTION_BROKEN,
        mq.MQRC_HCONN_ERROR,
        mq.MQRC_Q_MGR_NOT_AVAILABLE,
        mq.MQRC_Q_MGR_QUIESCING,
        mq.MQRC_Q_MGR_STOPPING,
        mq.MQRC_CONNECTION_QUIESCING,
        mq.MQRC_CONNECTION_STOPPING,
        mq.MQRC_HOST_NOT_AVAILABLE,
    )
)  # it may be back soon
FULL = frozenset((mq.MQRC_PUT_INHIBITED, mq.MQRC_Q_FULL))  # an output queue takes nothing now
PATIENCE_SECONDS = 60.0
FULL_SECONDS = 3600.0  # how long a batch waits for room in its output queues
PAUSE_SECONDS = 0.2
CALL_SECONDS = 120.0
CONNECTIONS_MAX = 16  # kept by a process
URL_MISSING = "the option url is missing: an mq:// address or a queue manager's name"


@dataclass(frozen=True)
class RemoteQueueManager:
    """A queue manager, and our user there."""

    url: str
    user: str = ""
    password_file: str = ""
    password: str = ""
    home: str = ""
    patience_seconds: float = PATIENCE_SECONDS

    def __repr__(self) -> str:  # plans and logs show it
        return f"RemoteQueueManager({self.url!r}, user={self.user!r})"

    def do(self, step: Callable[[Any], Answer]) -> Answer:
        """Return the result of a step; a broken connection is made again, for `patience_seconds`."""
        deadline = time.monotonic() + self.patience_seconds
        while True:
            try:
                return step(_connection(self))
            except MQError as failure:
                if failure.reason in BROKEN:
                    _drop(self)  # the next step, too, needs another one
                if failure.reason not in BROKEN or time.monotonic() > deadline:
                    raise
            time.sleep(PAUSE_SECONDS)

    def qmid(self) -> str:
        """Return the unique id of this queue manager, which differs even from one created again under its
        name.
        """
        (reply,) = self.do(lambda qm: qm.mqsc("DISPLAY QMGR QMID"))
        return str(reply.attributes.get("QMID", self.url))

    def commit(self, flow: str, n: int, winners: Mapping[int, Any], epoch: int) -> None:
        """End a batch, when there is room for its outputs."""
        deadline = time.monotonic() + FULL_SECONDS
        while True:
            try:
                self.do(lambda qm: qm.batches.commit(flow, n, winners, epoch=epoch))
                return
            except MQError as failure:
                if failure.reason not in FULL or _never(failure) or time.monotonic() > deadline:
                    raise
            time.sleep(PAUSE_SECONDS)


def queue_manager_of(options: Mapping[str, str]) -> RemoteQueueManager:
    """Return the queue manager that options specify; 8405 for missing or invalid options."""
    url = options.get("url", "")
    if not url:
        raise error(mq.PSRC_SPARK_OPTION, URL_MISSING)
    return RemoteQueueManager(
        url,
        options.get("user", os.environ.get("PENSTOCK_USER", "") if is_address(url) else ""),
        options.get("passwordFile", os.environ.get("PENSTOCK_PASSWORD_FILE", "")),
        options.get("password", ""),
        options.get("home", ""),
        _patience(options.get("patience", str(PATIENCE_SECONDS))),
    )


def _patience(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < math.inf:
        raise error(mq.PSRC_SPARK_OPTION, f"patience is a number of seconds, 0 or more, not {text!r}")
    return seconds


def _never(failure: MQError) -> bool:
    """Return whether a queue can never take this batch, even if it is empty."""
    fields = getattr(failure, "fields", {})
    return bool(fields.get("count", 0) > fields.get("depth_max", float("inf")))


_connections: dict[tuple[int, RemoteQueueManager], Any] = {}


def _connection(remote: RemoteQueueManager) -> Any:
    key = (os.getpid(), remote)  # a fork has none
    qm = _connections.get(key)
    if qm is None:
        if len(_connections) >= CONNECTIONS_MAX:
            _connections.clear()
        qm = _connections[key] = connected(remote)
    return qm


def connected(remote: RemoteQueueManager) -> Any:
    """Return a connection for the caller alone."""
    return penstock.connect(
        nearest_first(remote.url),
        user=remote.user or None,
        password=_password(remote),
        application="penstock spark",
        timeout=CALL_SECONDS,
        home=remote.home or None,
    )


def _drop(remote: RemoteQueueManager) -> None:
    qm = _connections.pop((os.getpid(), remote), None)
    if qm is not None:
        try:
            qm.close()
        except MQError:
            pass  # it is broken; that is why it goes


def _password(remote: RemoteQueueManager) -> str | None:
    if remote.password:
        return remote.password
    if remote.user and remote.password_file:
        try:
            return Path(remote.password_file).read_text().rstrip("\n")
        except OSError as cause:
            text = f"passwordFile {remote.password_file} cannot be read: {cause.strerror}"
            raise error(mq.PSRC_SPARK_OPTION, text) from cause
    return None


def depth_of(qm: BlockingQueueManager, queue: str) -> int:
    """Return how many messages are available on a queue; an alias has those of its target."""
    with qm.open(queue, mq.MQOO_INQUIRE) as handle:
        base = handle.resolved[0]
    with qm.open(base, mq.MQOO_INQUIRE) as handle:
        return int(handle.inquire("CURDEPTH")["CURDEPTH"])

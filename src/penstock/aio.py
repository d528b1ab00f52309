"""Penstock for asyncio: `qm = await penstock.aio.connect("QM1")`, the names of `penstock` as coroutines."""

from penstock.wire.client.aio_connect import connect
from penstock.wire.client.aio_handle import AsyncHandle
from penstock.wire.client.aio_queue_manager import AsyncQueueManager
from penstock.wire.client.aio_subscription import AsyncSubscription

__all__ = ["AsyncHandle", "AsyncQueueManager", "AsyncSubscription", "connect"]

"""Penstock for asyncio: `qm = await penstock.aio.connect("QM1")`, the names of `penstock` as coroutines."""

from penstock.client.aio.connect import connect
from penstock.client.aio.handle import AsyncHandle
from penstock.client.aio.queue_manager import AsyncQueueManager
from penstock.client.aio.subscription import AsyncSubscription

__all__ = ["AsyncHandle", "AsyncQueueManager", "AsyncSubscription", "connect"]

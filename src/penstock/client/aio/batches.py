"""Batches of an outside engine over a socket, for asyncio: the names of `ClientBatches`, as coroutines."""

from __future__ import annotations

from penstock.client.aio.driver import awaited
from penstock.client.core import batches as core


class AsyncBatches(core.RemoteBatches):
    """The batches of an outside engine: reserve, read, prepare, commit."""

    new_epoch = awaited(core.new_epoch)
    recorded = awaited(core.recorded)
    begin = awaited(core.begin)
    reserve = awaited(core.reserve)
    read_slice = awaited(core.read_slice)
    look = awaited(core.look)
    extent = awaited(core.extent)
    read_extent = awaited(core.read_extent)
    output = awaited(core.output)
    prepare_outputs = awaited(core.prepare_outputs)
    commit = awaited(core.commit)
    release = awaited(core.release)
    forget = awaited(core.forget)
    listing = awaited(core.listing)

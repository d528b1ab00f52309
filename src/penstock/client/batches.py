"""Batches of an outside engine over a socket, for blocking programs: what `qm.batches` of a client is."""

from __future__ import annotations

from penstock.client.core import batches as core
from penstock.client.driver import blocking


class ClientBatches(core.RemoteBatches):
    """The batches of an outside engine: reserve, read, prepare, commit."""

    new_epoch = blocking(core.new_epoch)
    recorded = blocking(core.recorded)
    begin = blocking(core.begin)
    reserve = blocking(core.reserve)
    read_slice = blocking(core.read_slice)
    look = blocking(core.look)
    extent = blocking(core.extent)
    read_extent = blocking(core.read_extent)
    output = blocking(core.output)
    prepare_outputs = blocking(core.prepare_outputs)
    commit = blocking(core.commit)
    release = blocking(core.release)
    forget = blocking(core.forget)
    listing = blocking(core.listing)

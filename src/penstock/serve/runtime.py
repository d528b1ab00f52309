"""The machinery of a server that MQSC can start and stop: it registers with `admin`.

Commands come from a worker under the engine's lock; the loop carries them out a moment later, as MQ answers
"request accepted" and works afterwards (`accepted`). Other rooms register their machinery the same way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.admin.mqsc import Runtime
from penstock.serve.channels import ClientConnections
from penstock.serve.message_channels.commands import ChannelCommands, ChannelInitiator
from penstock.serve.message_channels.definitions import MESSAGE_CHANNELS

if TYPE_CHECKING:
    from penstock.serve.server import Server


def runtime_of(server: Server) -> Runtime:
    """Return the runtime of a queue manager that listens."""
    runtime = Runtime(why="it cannot be asked for that")
    runtime.add("LISTENER", server.listeners)
    runtime.add("SERVICE", server.services)
    runtime.add("CHANNEL", server.channels, subtype="SVRCONN")
    commands = ChannelCommands(server.message_channels)
    for kind in MESSAGE_CHANNELS:
        runtime.add("CHANNEL", commands, subtype=kind)
    runtime.add("CHINIT", ChannelInitiator(server.message_channels))
    runtime.add("APPLICATION", server.channels.balancing)
    runtime.add("CONN", ClientConnections(server.channels))
    return runtime

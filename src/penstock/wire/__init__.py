"""The network: frames, server, listeners, clients."""

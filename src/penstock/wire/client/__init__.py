"""The client's side of the network, for blocking and asyncio programs."""

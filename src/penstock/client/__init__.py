"""Connections of programs to a queue manager in another process, blocking and asyncio."""

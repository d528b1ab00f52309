"""HTTP for flows: a small server for many paths on one port, requests that wait for their reply, a client.

asyncio and a strict reader of HTTP/1.1: what a stranger may send has a limit in size and in time, and a slow
client costs a few kilobytes and no thread.
"""

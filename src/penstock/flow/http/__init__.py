"""HTTP for flows: a small server for many paths on one port, requests that wait for their reply, a client.

asyncio and a strict reader of HTTP/1.1: everything that an unknown client may send is limited in size and
time, and a slow client costs a few kilobytes and no thread.
"""

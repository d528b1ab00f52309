"""TCP/IP streams of flows.

`framing` finds records in bytes, `connection` is one stream, `endpoints` has those of this process. The six
TCPIP nodes and `running/stream_listener.py` are the only callers.
"""

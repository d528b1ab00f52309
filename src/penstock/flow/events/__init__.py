"""Events: messages that a node keeps until others have come, for Collector, Resequence and Sequence.

`event` is a kept message, `event_queue` the queue of one node with all its events, `collecting` and
`ordering` decide what belongs together, without I/O or clock, and `token` guards a state that only one unit
of work at a time may change. `running/event_listener.py` drives the first two.
"""

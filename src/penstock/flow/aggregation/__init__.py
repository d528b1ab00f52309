"""Aggregation: several requests, and one message made of their replies.

`state` is the state machine: what a reply, a timeout or a held reply does to the records of an aggregation.
It knows no queues: `records` defines the records, `on_queues` stores them on queues, `ledger` buffers the
changes of a batch in memory until its unit of work ends. `combining` makes the aggregated message. The three
nodes and `running/aggregation_listener.py` are the only callers.
"""

"""Aggregation: requests that belong together, and the one reply made of their replies.

`state` is the machine: what a reply, a timeout or a held reply does to the records of an aggregation. It
knows no queue: `records` says what it keeps, `on_queues` keeps that on queues, `ledger` keeps a batch's
changes in memory until its unit of work ends. `combining` makes the aggregated message. The three nodes
and `running/aggregation_listener.py` are the only callers.
"""

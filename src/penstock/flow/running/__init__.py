"""Running flows in this process.

Listeners that get messages, run a flow on each and end their units of work.
"""

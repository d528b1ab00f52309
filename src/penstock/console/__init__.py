"""The web console: pages about the queue managers and brokers of a home, in a process of its own.

It is a client of their local sockets and a reader of the brokers' folders; `cli/console.py` and `cli/web`
start it. Every page is HTML from `templates/`, complete without scripts; `static/` adds live numbers.
Invariant: the queue manager decides with the person's authority, never with the web process's. Nothing is
fetched from elsewhere. Looking changes nothing.
"""

"""Room cli: the command `penstock`. One file per command; the only room that prints.

Commands use the public API and `tools`; they decide nothing about messages. Expensive imports are inside
functions, so that `penstock --help` and completion are fast.
"""

"""Room cli: the command `penstock`. One file a command; the only room that prints.

Commands use the public API and the tools of `host`; they decide nothing about messages. Heavy imports
stay inside the functions, so that `penstock --help` and completion answer at once.
"""

"""The checker: finds errors in programs that parse.

`check.py` is the entry point for many files. `catalogue.py` collects the declarations, `resolution.py`
resolves each name, and every other file is one pass that looks for one kind of mistake. A pass reports
certain mistakes as errors and likely ones as warnings; what depends on the message is neither.
"""

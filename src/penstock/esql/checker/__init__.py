"""The checker: what is wrong in programs that can be read.

`check.py` is the entrance for many files. `catalogue.py` gathers what the files declare, `resolution.py`
finds out what each name means, and every other file is one pass that looks for one kind of mistake.
A pass reports what is certain as an error and what is likely as a warning; what depends on the
message is neither.
"""

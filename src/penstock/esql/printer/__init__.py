"""The printer: from a tree back to ESQL, one style, comments left out.

Proves in the tests that the tree holds everything (parse, print, parse gives the same tree), and shows
paths in messages. It is no formatter: what a person wrote is never rewritten.
"""

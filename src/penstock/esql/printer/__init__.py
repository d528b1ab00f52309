"""The printer: from a tree back to ESQL, in one style, without comments.

The tests use it to prove that the tree is complete (parse, print, parse gives the same tree), and messages
use it to show paths. It is not a formatter: it never rewrites a person's file.
"""

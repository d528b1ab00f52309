"""The parser: recursive descent over tokens, one file for each part of the language.

`program.py` is the entry point. Every function takes a `Cursor`, reads from its position, and returns a node;
a syntax error raises `Unreadable`, which the nearest list of statements catches and reports, so that one
mistake does not hide others. Invariant: every function consumes a token or raises.
"""

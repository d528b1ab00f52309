"""The parser: recursive descent over tokens, one file a part of the language.

`program.py` is the entrance. Every function takes a `Cursor`, reads from where it stands, and returns a
node; what cannot be read raises `Unreadable`, which the nearest list of statements catches and reports,
so that one mistake hides no other. Invariant: every function consumes a token or raises.
"""

"""From checked ESQL to Python: one file becomes one Python module that a person can read.

The way: `compile.py` is the entrance, `layout.py` gives everything its Python name, `generator.py`
writes a file with the help of one module for each kind of statement and expression, `code_objects.py`
gives the code the lines of the ESQL, `cache.py` keeps it. Nothing here runs when a message does.
"""

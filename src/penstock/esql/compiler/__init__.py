"""From checked ESQL to Python: one file becomes one readable Python module.

`compile.py` is the entry point, `layout.py` assigns Python names, `generator.py` writes a file with the help
of one module for each kind of statement and expression, `code_objects.py` gives the code the line numbers of
the ESQL, `cache.py` stores it. Nothing here runs while messages are processed.
"""

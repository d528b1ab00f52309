"""Databases of ESQL: tables in SELECT, INSERT, UPDATE and DELETE, PASSTHRU and stored procedures.

`pushdown.py` is for the compiler: which part of a condition the database can do. `databases.py` is for
running programs: `Databases` does the statements over SQLAlchemy, which is imported when the first of them
runs. `data_sources.py` knows which URL a data source name is bound to. Invariant: values of a program reach
a database as bound parameters only.
"""

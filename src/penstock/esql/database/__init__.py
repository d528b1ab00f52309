"""Databases of ESQL: tables in SELECT, INSERT, UPDATE and DELETE, PASSTHRU and stored procedures.

`pushdown.py` is for the compiler: which part of a condition the database can test. `databases.py` is for
running programs: `Databases` runs the statements over SQLAlchemy, which is imported with the first statement.
`data_sources.py` maps data source names to URLs. Invariant: values of a program reach a database only as
bound parameters.
"""

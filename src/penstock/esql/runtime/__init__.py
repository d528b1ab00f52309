"""What compiled ESQL calls while it runs: operators, functions, the context of a message, errors.

Generated code imports names from these modules; nothing here imports the compiler, so that what runs a
flow needs no parser. Values are plain Python ones (`docs/internals/esql.md` has the table).
"""

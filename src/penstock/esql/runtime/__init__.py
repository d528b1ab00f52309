"""The runtime of compiled ESQL: operators, functions, the context of a message, errors.

Generated code imports names from these modules; nothing here imports the compiler, so that running a flow
needs no parser. Values are plain Python values (`docs/internals/esql.md` has the table).
"""

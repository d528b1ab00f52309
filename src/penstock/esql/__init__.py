"""Room esql: the language of Compute, Filter and Database nodes.

It knows the message tree and nothing of nodes, flows or Spark. `compile_sources` makes a `Library` of
`Source`s, `check` finds what is wrong in them, `parse` makes the syntax tree of one. The way of a program:
`lexer` makes tokens, `parser` makes the tree of `syntax`, `checker` finds what is wrong in it. Start at
`parser/program.py` for one file and at `checker/check.py` for many. `__init__.pyi` lists the public names.
"""

from penstock.lazy_names import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)

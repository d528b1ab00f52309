"""Room esql: the language of Compute, Filter and Database nodes.

It knows the message tree, but not nodes, flows or Spark. `compile_sources` makes a `Library` from `Source`s,
`check` finds errors in them, `parse` makes the syntax tree of one. The stages: `lexer` makes tokens, `parser`
makes the tree of `syntax`, `checker` checks it. Start at `parser/program.py` for one file and at
`checker/check.py` for many. `__init__.pyi` lists the public names.
"""

from penstock.lazy_names import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)

"""Room esql: the language of Compute, Filter and Database nodes.

It knows the message tree and nothing of nodes, flows or Spark. The way of a program: `lexer` makes
tokens, `parser` makes the tree of `syntax`, `checker` finds what is wrong in it. Start at
`parser/program.py` for one file and at `checker/check.py` for many.
"""

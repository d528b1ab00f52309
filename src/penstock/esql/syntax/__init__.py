"""The syntax tree: frozen nodes, each with the offset where it starts.

Nodes hold what was written and nothing that was found out about it. Two nodes are equal when they say
the same, wherever they stand. Invariant: the tree is as deep as the source is nested, never as long
as a chain of operators: `a || b || c` is one node with three operands.
"""

"""The syntax tree: frozen nodes, each with the offset where it starts.

Nodes hold only what was written. Two nodes are equal if they have the same content, whatever their position.
Invariant: the tree is as deep as the source is nested, never as deep as a chain of operators is long: `a || b
|| c` is one node with three operands.
"""

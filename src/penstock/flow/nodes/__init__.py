"""The nodes of flows, one module each; `from penstock.flow import nodes` has them all.

A node's module is imported at the first use of the node: a flow that reads a queue does not load HTTP, YAML
and XSL. `__init__.pyi` lists the nodes.
"""

from penstock.lazy_names import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)

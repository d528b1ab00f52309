"""Message flows: graphs of nodes that messages run through. Room `flow`, the broker.

`Flow` is the graph, `nodes` has the nodes, `Node` is the base class for your own, `Project` is a folder of
flows with their ESQL and models. `CompiledFlow` is a flow that was checked and can be started; `listener_for`
returns what runs it in this process. This room does not know Spark: room `spark` runs the same compiled flow.
`__init__.pyi` lists the public names.
"""

from penstock.lazy_names import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)

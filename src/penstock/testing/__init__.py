"""For tests of your own flows and ESQL: `Rig` runs a flow on real queues, `run_module` one ESQL module.

With pytest, `pytest_plugins = ["penstock.testing.pytest_plugin"]` in a conftest gives the fixtures `flow_rig`
and `esql`. `__init__.pyi` lists the public names.
"""

from penstock.lazy_names import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)

"""The pytest fixtures `flow_rig` and `esql`.

A conftest loads them: `pytest_plugins = ["penstock.testing.pytest_plugin"]`.
"""

pytest_plugins = ["penstock.esql.pytest_plugin", "penstock.flow.testing.pytest_plugin"]

"""The fixtures of flow tests."""

from tests.flow_fixtures import qm, run

__all__ = ["qm", "run"]

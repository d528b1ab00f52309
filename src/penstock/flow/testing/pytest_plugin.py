"""The pytest fixture `flow_rig`, and `tests/*.yaml` of flow projects as tests.

    def test_large_orders(flow_rig):
        rig = flow_rig("orders", "examples/orders")
        rig.put("<Order><Total>2000</Total></Order>")
        rig.run()
        assert rig.bodies("BILLING") == [b"..."]

A conftest loads it: `pytest_plugins = ["penstock.testing.pytest_plugin"]`; nothing else imports it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.testing import Rig

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture
def flow_rig() -> Iterator[Callable[..., Rig]]:
    """Make rigs for flows; they are closed after the test."""
    made: list[Rig] = []

    def make(*arguments: Any, **named: Any) -> Rig:
        made.append(Rig(*arguments, **named))
        return made[-1]

    yield make
    for rig in made:
        rig.close()

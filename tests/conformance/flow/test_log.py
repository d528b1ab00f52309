"""Log: a line with parts of the message, at its level; the message goes on."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from penstock.flow import Flow, nodes
from tests.flow_fixtures import bodies

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest


def test_a_line_shows_values_and_trees(
    qm: Any, run: Callable[..., Any], caplog: pytest.LogCaptureFixture
) -> None:
    flow = Flow("log")
    start = flow.add(nodes.MQInput("IN", domain="JSON"))
    log = flow.add(
        nodes.Log(
            "came in", level="Warning", values={"id": "InputRoot.JSON.Data.id", "no": "Root.JSON.Data.x"}
        )
    )
    start.out >> log.in_
    log.out >> flow.add(nodes.MQOutput("OUT")).in_
    qm.put("IN", b'{"id": 7}')
    with caplog.at_level(logging.INFO):
        run(flow)
    line = next(each for each in caplog.records if "came in" in each.getMessage())
    assert (line.levelno, "7" in line.getMessage()) == (logging.WARNING, True)
    assert bodies(qm, "OUT") == [b'{"id": 7}']


def test_what_cannot_be_is_refused() -> None:
    assert "level 'Loud' is not one of" in " ".join(nodes.Log(level="Loud").check())
    assert "is no location" in " ".join(nodes.Log(values={"a": "nowhere.x"}).check())

"""Times in JSON are texts in ISO 8601, whatever command prints them."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pytest

from tests.flow_station import COPY, Station

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.installed
EPOCH_SECONDS = (1.5e9, 4e9)


@pytest.fixture
def station(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Station]:
    monkeypatch.setenv("PENSTOCK_HOME", str(tmp_path / "home"))
    made = Station(tmp_path)
    made.write("flows/copy.py", COPY.format(queue="OUT"))
    made.start()
    yield made
    made.stop()


def numbers(value: Any, name: str = "") -> Iterator[tuple[str, float]]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield from numbers(each, f"{name}.{key}")
    elif isinstance(value, list):
        for each in value:
            yield from numbers(each, name)
    elif isinstance(value, float):
        yield name, value


def test_no_command_prints_seconds_since_the_epoch(station: Station) -> None:
    with station.connect() as qm:
        qm.put("IN", b"x")
        qm.begin()
        qm.get("IN")
        qm.prepare("unit")
    name = station.project.name
    for words in (
        ("deploy", str(station.project)),
        ("rollback", name, "--list"),
        ("broker", "list"),
        ("qmgr", "status", "QM1"),
        ("qmgr", "list"),
        ("queue", "list", "--all", "-m", "QM1"),
        ("unit", "list", "-m", "QM1"),
        ("flow", "reservations", "list", "-m", "QM1"),
    ):
        told = json.loads(station.run(*words, "--json"))
        low, high = EPOCH_SECONDS
        assert [each for each in numbers(told) if low < each[1] < high] == [], words
    deployed = json.loads(station.run("rollback", name, "--list", "--json"))["versions"][0]["deployed"]
    assert datetime.fromisoformat(deployed).tzinfo is not None

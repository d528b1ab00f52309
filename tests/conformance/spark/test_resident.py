"""A warm session runs jobs for others, tells of them, and ends them when nobody waits any more."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from penstock.model.errors import MQError
from penstock.spark.starting import resident
from tests.patience import until
from tests.spark import marks

pytestmark = marks


def count(spark: Any, arguments: dict[str, Any], tell: Any, stopped: threading.Event) -> dict[str, Any]:
    """A job."""
    tell({"asked": arguments["rows"]})
    return {"rows": spark.range(arguments["rows"]).count()}


def fail(spark: Any, arguments: dict[str, Any], tell: Any, stopped: threading.Event) -> dict[str, Any]:
    """A job that does not do it."""
    raise ValueError("on purpose")


def linger(spark: Any, arguments: dict[str, Any], tell: Any, stopped: threading.Event) -> dict[str, Any]:
    """A job that ends when nobody waits for it."""
    tell({})
    assert stopped.wait(60)
    Path(arguments["file"]).touch()
    return {}


@pytest.fixture
def staying(spark: Any, penstock_home: Path) -> Iterator[None]:
    thread = threading.Thread(target=resident.Resident(spark, resident.spark_folder()).run)
    thread.start()
    until(lambda: resident.status() is not None)
    yield
    resident.stop()
    thread.join(60)
    assert not thread.is_alive()


def test_a_job_runs_there_and_tells_of_itself(staying: None) -> None:
    events: list[Any] = []

    result = resident.run_job(f"{__name__}:count", {"rows": 7}, events.append)

    assert (events, result) == ([{"asked": 7}], {"rows": 7})


def test_a_failure_comes_back(staying: None) -> None:
    with pytest.raises(MQError, match=r"on purpose \(Traceback: ") as caught:
        resident.run_job(f"{__name__}:fail", {}, print)

    assert caught.value.reason == 8408


def test_a_job_ends_when_the_one_who_asked_is_gone(staying: None, tmp_path: Path) -> None:
    class GoneError(Exception):
        pass

    def gone(event: object) -> None:
        raise GoneError

    with pytest.raises(GoneError):
        resident.run_job(f"{__name__}:linger", {"file": str(tmp_path / "ended")}, gone)

    until((tmp_path / "ended").exists)


def test_only_its_owner_reaches_it(staying: None, penstock_home: Path) -> None:
    assert (penstock_home / ".spark" / "resident").stat().st_mode & 0o077 == 0


def test_without_one_a_job_runs_here(spark: Any, penstock_home: Path) -> None:
    assert resident.status() is None

    assert resident.run_job(f"{__name__}:count", {"rows": 3}, print) == {"rows": 3}


def test_there_is_none_to_stop(penstock_home: Path) -> None:
    with pytest.raises(MQError) as caught:
        resident.stop()

    assert caught.value.reason == 8407

"""What all tests share: the uncompiled run, Hypothesis profiles, a home of their own.

PENSTOCK_UNCOMPILED=1 takes the modules from `src/` (tests/uncompiled.py); PENSTOCK_SOAK=1 makes
heavy parameters large through the fixture `scale`. No test ever touches the user's PENSTOCK_HOME.
Folders of tests are in memory where there is room for them, so that syncs cost nothing; `make soak` uses
the disk. The time that each room took is printed at the end.
"""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import uncompiled
from tests.resuming import Resuming
from tests.room_times import RoomTimes

UNCOMPILED = os.environ.get("PENSTOCK_UNCOMPILED", "") not in ("", "0")
SOAK = os.environ.get("PENSTOCK_SOAK", "") not in ("", "0")
SOAK_SCALE = 20
PASSED = os.environ.get("PENSTOCK_PASSED", "")  # a file of tests that have passed: tests/resuming.py

ASKING_BY_NAME = "tests/conformance/client/"

MEMORY = Path("/dev/shm")
MEMORY_BYTES_MIN = 2 << 30

os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(uncompiled.ROOT / "build" / "hypothesis"))
if UNCOMPILED:
    uncompiled.install()

from hypothesis import HealthCheck, settings  # noqa: E402

settings.register_profile(
    "default", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("soak", settings.get_profile("default"), max_examples=2000)
settings.load_profile("soak" if SOAK else "default")


def pytest_configure(config: pytest.Config) -> None:
    """Take Ctrl-C as Python does: what a shell starts in the background ignores it, and its tests would."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(RoomTimes())
    if PASSED:
        config.pluginmanager.register(Resuming(Path(PASSED), writes=not hasattr(config, "workerinput")))
    if not SOAK and MEMORY.is_dir() and os.access(MEMORY, os.W_OK):
        if shutil.disk_usage(MEMORY).free >= MEMORY_BYTES_MIN:
            os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGTERM) is signal.SIG_IGN:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let one worker run the tests that share what their module has started: two would start it twice."""
    for item in items:
        if item.get_closest_marker("xdist_group") is None and shares(item):
            item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))


def shares(item: pytest.Item) -> bool:
    """Say whether a test has a fixture of its module, or asks for one by its name."""
    found = getattr(item, "_fixtureinfo", None)
    fixtures = {} if found is None else found.name2fixturedefs
    return item.nodeid.startswith(ASKING_BY_NAME) or any(
        each[-1].scope == "module" for each in fixtures.values() if each
    )


@pytest.fixture(autouse=True)
def own_signals() -> Iterator[None]:
    """Put signal handlers back: a command that a test ran in this process may have left its own."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)
    before = {number: signal.getsignal(number) for number in numbers}
    yield
    for number, handler in before.items():
        if handler is not None and signal.getsignal(number) is not handler:
            signal.signal(number, handler)


@pytest.fixture(scope="session")
def scale() -> int:
    """How many times as heavy as in `make test` this run should be."""
    return SOAK_SCALE if SOAK else 1


@pytest.fixture(autouse=True)
def penstock_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PENSTOCK_HOME of the test's own."""
    home = tmp_path / "home"
    monkeypatch.setenv("PENSTOCK_HOME", str(home))
    return home


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """The one Spark session of a test run."""
    from tests.spark import running_session

    with running_session() as session:
        yield session


@pytest.fixture(scope="session")
def postgresql(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of this worker's database in the one PostgreSQL of a test run; tests do not stop it."""
    from tests.postgresql import shared_server

    worker = getattr(request.config, "workerinput", None)
    base = tmp_path_factory.getbasetemp()
    run, locks = (worker["testrunuid"], base.parent) if worker else (str(os.getpid()), base)
    with shared_server(run, locks) as url:
        yield url


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Any]:
    """A queue manager in a process of its own, with queues IN and OUT, for flows on Spark."""
    from tests.spark import running_broker

    with running_broker(tmp_path / "broker") as running:
        yield running

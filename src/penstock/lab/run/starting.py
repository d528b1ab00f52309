"""Begins a run or takes one up again: facts of the machine, the plan, the conductor."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.lab.catalogue.availability import RUNS, state
from penstock.lab.load.setting import file_system, real_folder
from penstock.lab.measure import floors, machine
from penstock.lab.run.conductor import Conductor
from penstock.lab.run.folder import RunFolder
from penstock.lab.run.known import remember
from penstock.lab.run.tiers import TIERS, Tier
from penstock.lab.run.window import Bench
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from penstock.lab.catalogue.test_file import Test
    from penstock.lab.run.drivers import Drivers

PACKAGES = ("pyarrow", "pyspark", "vl-convert-python", "uvloop", "msgspec", "sqlalchemy")


@contextmanager
def new_run(
    tests: Sequence[Test],
    tier: Tier,
    out: Path | None,
    command: Sequence[str],
    tell: Callable[[str], None],
    drivers: Drivers | None = None,
) -> Iterator[Conductor]:
    """Begin a run; its folder is made here."""
    with real_folder() as place:
        about = {
            "run_id": os.urandom(4).hex(),
            "begun": time.time(),
            "tier": tier.name,
            "rounds": tier.rounds,
            "window_s": tier.window_s,
            "warm_s": tier.warm_s,
            "slices": tier.slices,
            "command": [word if os.sep not in word else Path(word).name for word in command],
            "tests": [test.test for test in tests],
            "not_run": {test.test: state(test)[1] for test in tests if state(test)[0] != RUNS},
            "packages": {name: found for name in PACKAGES if (found := _version(name))},
            "drivers": drivers.names if drivers else [],
            "sittings": [sitting(place)],
        }
        folder = RunFolder.create(out, about)
        remember(folder)
        with folder.lock(), Bench(place, tier, drivers) as bench:
            yield Conductor(folder, bench, _commit(about), tell)


@contextmanager
def resumed(path: Path, tell: Callable[[str], None]) -> Iterator[tuple[Conductor, list[str]]]:
    """Take a run up again; 8603 on another commit or machine. Also returns the names of its tests."""
    folder = RunFolder.existing(path)
    about = folder.about()
    with folder.lock(), real_folder() as place:
        here = sitting(place)
        first = about["sittings"][0]
        for what in ("commit", "cpu", "cores"):
            if here["machine"][what] != first["machine"][what]:
                text = f"{what} is {here['machine'][what]}, the run began with {first['machine'][what]}"
                raise error(mq.PSRC_LAB_RUN, text, folder=str(path))
        about["sittings"].append(here)
        folder.write_about({key: value for key, value in about.items() if key != "schema"})
        tier = _tier_of(about)
        number = len(about["sittings"]) - 1
        with Bench(place, tier) as bench:
            yield Conductor(folder, bench, _commit(about), tell, number), about["tests"]


def finish(folder: RunFolder) -> None:
    """Note when a run ended."""
    about = folder.about()
    folder.write_about(
        {**{key: value for key, value in about.items() if key != "schema"}, "ended": time.time()}
    )


def sitting(place: Path) -> dict[str, Any]:
    """Return what a reader must know of the machine, and its floors now."""
    about = machine.describe(file_system(place))
    load = os.getloadavg()[0]
    return {"begun": time.time(), "load": load, "machine": about, "floors": floors.measure(place)}


def _tier_of(about: dict[str, Any]) -> Tier:
    tier = TIERS[about["tier"]]
    return Tier(
        tier.name,
        about["rounds"],
        about["warm_s"],
        about["window_s"],
        about["slices"],
        tier.climbs,
        tier.refined_max,
    )


def _commit(about: dict[str, Any]) -> str:
    return str(about["sittings"][0]["machine"]["commit"])


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""

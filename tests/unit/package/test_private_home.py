"""Whatever makes the home first, it and every folder in it are for their owner alone."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from penstock.esql.compiler.compile import compile_sources
from penstock.esql.database.data_sources import DataSources
from penstock.esql.source import Source
from penstock.flow.broker.deployments import deploy
from penstock.flow.broker.home import broker_home
from penstock.flow.loading import esql_cache
from penstock.host.folders.folder import create_folder
from penstock.host.users.users_file import changing_users
from penstock.model.errors import MQError
from penstock.store.home import make_private, penstock_home

FLOW = "from penstock.flow import Flow, nodes\nflow = Flow('f')\nflow.add(nodes.MQInput('IN'))\n"


@pytest.fixture(autouse=True)
def usual_mask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PENSTOCK_HOME", str(tmp_path / "above" / "home"))
    return penstock_home()


def open_to_others(home: Path) -> list[str]:
    folders = [home, *(each for each in home.rglob("*") if each.is_dir())]
    return [str(each) for each in folders if stat.S_IMODE(each.stat().st_mode) & 0o077]


def a_deployed_project() -> None:
    project = penstock_home().parent / "project"
    (project / "flows").mkdir(parents=True, mode=0o700)
    (project / "flows" / "f.py").write_text(FLOW)
    (project / "flows").chmod(0o700)
    project.chmod(0o700)
    deploy(broker_home("default", create=True), project, "default", 1, {})


def a_user() -> None:
    with changing_users(penstock_home() / "users"):
        pass


def a_failed_start_of_spark() -> None:
    pytest.importorskip("pyspark", reason="the extra spark is not installed")
    from penstock.spark.starting.java import Java
    from penstock.spark.starting.launcher import launch
    from penstock.spark.starting.session import spark_folder

    java = penstock_home().parent / "java"
    program = java / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    with pytest.raises(MQError):
        launch(Java(java, "17.0.1"), {}, spark_folder())


MAKERS: dict[str, Callable[[], object]] = {
    "a queue manager": lambda: create_folder("QM1"),
    "a broker": lambda: broker_home("default", create=True),
    "a deployment": a_deployed_project,
    "a user": a_user,
    "a data source": lambda: DataSources().add("D", "sqlite:///d.db"),
    "compiled ESQL": lambda: compile_sources([Source("a", "")], esql_cache()),
    "Spark": a_failed_start_of_spark,
}


@pytest.mark.parametrize("maker", MAKERS)
def test_everything_that_can_make_the_home_makes_it_private(home: Path, maker: str) -> None:
    MAKERS[maker]()
    assert home.is_dir()
    assert open_to_others(home) == []


def test_a_folder_that_was_open_is_closed_and_the_home_stays_as_it_was_set(home: Path) -> None:
    home.mkdir(parents=True, mode=0o750)
    (home / ".spark").mkdir(mode=0o755)
    make_private(home / ".spark" / "logs")
    assert open_to_others(home) == [str(home)]
    assert stat.S_IMODE(home.stat().st_mode) == 0o750

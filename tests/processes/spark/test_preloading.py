"""The preloaded process: a program that Spark starts runs as a fork of it, and without it as it is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from penstock.spark.starting import preloading

pytest.importorskip("pyspark", reason="the extra spark is not installed")
pytestmark = pytest.mark.installed
LOADED = "import sys; print('pandas' in sys.modules, sys.argv[1:], flush=True)"


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[preloading.Preloaded]:
    before = os.environ.pop("PYSPARK_PYTHON", None)
    found = preloading.preloaded(tmp_path_factory.mktemp("preloading"))
    assert found is not None
    yield found
    assert found.process.stdin is not None
    found.process.stdin.close()
    assert found.process.wait(60) == 0
    assert not Path(found.environment[preloading.PLACE]).exists()
    if before is not None:
        os.environ["PYSPARK_PYTHON"] = before


def run(
    workers: preloading.Preloaded, folder: Path, text: str, place: str | None = None
) -> subprocess.Popen[str]:
    (folder / "asked.py").write_text(text)
    given = {**os.environ, **workers.environment, "PYTHONPATH": str(folder)}
    if place is not None:
        given[preloading.PLACE] = place
    return subprocess.Popen(
        [given["PYSPARK_PYTHON"], "-m", "asked", "word"],
        env=given,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_a_fork_has_everything_loaded_and_the_askers_streams(
    workers: preloading.Preloaded, tmp_path: Path
) -> None:
    said, _ = run(workers, tmp_path, LOADED).communicate()

    assert said == "True ['word']\n"


def test_without_the_process_it_is_a_python(workers: preloading.Preloaded, tmp_path: Path) -> None:
    said, _ = run(workers, tmp_path, LOADED, str(tmp_path / "nobody")).communicate()

    assert said == "False ['word']\n"


def test_the_end_of_the_asker_is_that_of_the_fork(workers: preloading.Preloaded, tmp_path: Path) -> None:
    asker = run(workers, tmp_path, "import os, time; print(os.getpid(), flush=True); time.sleep(600)")
    assert asker.stdout is not None
    fork = int(asker.stdout.readline())
    asker.send_signal(signal.SIGTERM)
    asker.communicate()

    assert fork != asker.pid
    assert asker.returncode == 128 + signal.SIGTERM  # and its output has ended: the fork is gone


def test_a_python_of_the_users_own_is_left_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PYSPARK_PYTHON", "/another/python")

    assert preloading.preloaded(tmp_path) is None


def test_the_version_is_told_without_another_process(workers: preloading.Preloaded) -> None:
    asked = [workers.environment["PYSPARK_PYTHON"], "-c", "import sys; print(sys.version_info[0])"]
    said = subprocess.run(asked, capture_output=True, text=True, check=True).stdout

    assert said.strip() == str(sys.version_info[0])

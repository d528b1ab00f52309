"""A long run of tests that was cut off continues where it was."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests import uncompiled

CONFTEST = """
from pathlib import Path
from tests.resuming import Resuming

def pytest_configure(config):
    writes = not hasattr(config, "workerinput")
    config.pluginmanager.register(Resuming(Path("passed"), writes=writes))
"""
TESTS = """
import os
import pytest

@pytest.mark.xdist_group("one")
@pytest.mark.parametrize("number", range(3))
def test_some(number):
    assert number != 1 or os.path.exists("mended")

@pytest.mark.skip
def test_left_out():
    pass
"""


def run(folder: Path, *more: str) -> str:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *more, "test_it.py"]
    made = subprocess.run(
        command, cwd=folder, env={"PYTHONPATH": str(uncompiled.ROOT)}, capture_output=True, text=True
    )
    return made.stdout


def test_what_has_passed_is_left_out_and_what_failed_is_named(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_it.py").write_text(TESTS)

    first = run(tmp_path, "-n", "2", "--dist", "loadgroup")
    passed = (tmp_path / "passed").read_text().split()
    (tmp_path / "mended").touch()
    second = run(tmp_path)

    assert "again: make soak RESUME=1 TESTS='test_it.py::test_some[1]'" in first
    assert sorted(passed) == ["test_it.py::test_some[0]", "test_it.py::test_some[2]"]
    assert "1 passed, 1 skipped, 2 deselected" in second

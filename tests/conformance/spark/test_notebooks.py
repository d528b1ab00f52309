"""The notebooks of `examples/notebooks` run, cell by cell, in the session of the tests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.spark import Broker, marks, running_broker
from tests.uncompiled import ROOT

pytestmark = marks
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    with running_broker(tmp_path_factory.mktemp("notebooks") / "home") as running:
        yield running


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(
    spark: Any, home: Broker, notebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PENSTOCK_HOME", str(home.home))
    names: dict[str, Any] = {}

    for cell in json.loads(notebook.read_text())["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [], "commit notebooks without their output"
            exec(compile("".join(cell["source"]), f"{notebook.name} {cell['id']}", "exec"), names)

    assert names


def test_there_is_a_notebook_for_each_subject() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["dead-letters", "replay-with-diff", "windows-and-joins"]

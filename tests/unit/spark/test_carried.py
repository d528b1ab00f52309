"""A project that travels to workers: packed, unpacked once, refused when it is too large or not ours."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from penstock.model.errors import MQError
from penstock.spark import carried
from penstock.spark.flow_work import work_arguments


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "orders"
    (folder / "flows" / "__pycache__").mkdir(parents=True)
    (folder / "flows" / "orders.py").write_text("flow = 1\n")
    (folder / "flows" / "__pycache__" / "orders.pyc").write_bytes(b"old")
    (folder / "Grüße.esql").write_text("-- text")
    return folder


@pytest.fixture(autouse=True)
def worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of temporary files of a worker."""
    folder = tmp_path / "worker"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def files(folder: str) -> dict[str, str]:
    found = (path for path in Path(folder).rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_text() for path in found}


def test_near_workers_read_the_folder_itself(project: Path) -> None:
    assert carried.folder_of(work_arguments(str(project), "orders", "In")) == str(project)


def test_far_workers_get_all_files_and_no_path(project: Path, worker: Path) -> None:
    told = work_arguments(str(project), "orders", "In", far=True)

    folder = carried.folder_of(told)

    assert told["project"] == "orders"
    assert files(folder) == {"flows/orders.py": "flow = 1\n", "Grüße.esql": "-- text"}
    assert carried.folder_of(told) == folder
    assert [str(each) for each in worker.iterdir()] == [folder]


def test_a_changed_project_is_another_folder(project: Path) -> None:
    before = carried.folder_of(work_arguments(str(project), "orders", "In", far=True))
    (project / "flows" / "orders.py").write_text("flow = 2\n")

    now = carried.folder_of(work_arguments(str(project), "orders", "In", far=True))

    assert files(now)["flows/orders.py"] == "flow = 2\n"
    assert files(before)["flows/orders.py"] == "flow = 1\n"


def test_a_folder_that_others_can_write_is_not_trusted(project: Path) -> None:
    told = work_arguments(str(project), "orders", "In", far=True)
    Path(carried.folder_of(told)).chmod(0o777)

    with pytest.raises(MQError, match="was not made by Penstock") as caught:
        carried.folder_of(told)
    assert caught.value.reason == 8406


def test_a_link_in_its_place_is_not_followed(project: Path, worker: Path) -> None:
    told = work_arguments(str(project), "orders", "In", far=True)
    folder = Path(carried.folder_of(told))
    folder.rename(worker / "elsewhere")
    folder.symlink_to(worker / "elsewhere")

    with pytest.raises(MQError, match="was not made by Penstock"):
        carried.folder_of(told)


def test_too_large_a_project_is_refused(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(carried, "BYTES_MAX", 100)

    with pytest.raises(MQError, match="keep what is no part of the flows elsewhere") as caught:
        work_arguments(str(project), "orders", "In", far=True)
    assert caught.value.reason == 8304

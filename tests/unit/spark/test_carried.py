"""A project that travels to workers: packed, unpacked once, refused when it is too large or not ours."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from penstock.model.errors import MQError
from penstock.spark.runs.flow_work import work_arguments
from penstock.spark.starting import project_shipping as carried


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
    assert [str(each) for each in worker.glob("*/*")] == [folder]


def test_a_changed_project_is_another_folder(project: Path) -> None:
    before = carried.folder_of(work_arguments(str(project), "orders", "In", far=True))
    (project / "flows" / "orders.py").write_text("flow = 2\n")

    now = carried.folder_of(work_arguments(str(project), "orders", "In", far=True))

    assert files(now)["flows/orders.py"] == "flow = 2\n"
    assert files(before)["flows/orders.py"] == "flow = 1\n"


def test_what_a_tidy_machine_has_removed_comes_back(project: Path) -> None:
    told = work_arguments(str(project), "orders", "In", far=True)
    (Path(carried.folder_of(told)) / "flows" / "orders.py").unlink()

    assert files(carried.folder_of(told))["flows/orders.py"] == "flow = 1\n"


def test_projects_that_nobody_asks_for_go(project: Path) -> None:
    before = Path(carried.folder_of(work_arguments(str(project), "orders", "In", far=True)))
    os.utime(before, (0, 0))
    (project / "flows" / "orders.py").write_text("flow = 2\n")

    now = Path(carried.folder_of(work_arguments(str(project), "orders", "In", far=True)))

    assert list(now.parent.iterdir()) == [now]


def test_files_without_a_date_travel(project: Path) -> None:
    os.utime(project / "flows" / "orders.py", (0, 0))

    folder = carried.folder_of(work_arguments(str(project), "orders", "In", far=True))

    assert files(folder)["flows/orders.py"] == "flow = 1\n"


def test_a_place_that_others_can_write_is_not_trusted(project: Path, worker: Path) -> None:
    told = work_arguments(str(project), "orders", "In", far=True)
    Path(carried.folder_of(told)).parent.chmod(0o777)

    with pytest.raises(MQError, match="was not made by Penstock") as caught:
        carried.folder_of(told)
    assert caught.value.reason == 8406


def test_a_link_in_its_place_is_not_followed(project: Path, worker: Path) -> None:
    told = work_arguments(str(project), "orders", "In", far=True)
    place = Path(carried.folder_of(told)).parent
    place.rename(worker / "elsewhere")
    place.symlink_to(worker / "elsewhere")

    with pytest.raises(MQError, match="was not made by Penstock"):
        carried.folder_of(told)


def test_too_large_a_project_is_refused(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(carried, "BYTES_MAX", 100)

    with pytest.raises(MQError, match="keep files that are not part of the flows elsewhere") as caught:
        work_arguments(str(project), "orders", "In", far=True)
    assert caught.value.reason == 8304

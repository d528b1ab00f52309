"""The archive for workers: complete, and refused where it does not fit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from penstock.model.errors import MQError
from penstock.spark import packing

CODE = """
import penstock, penstock.client.connect, penstock.store.journal
from penstock.spark import packing
assert penstock.__file__.startswith(PLACE), penstock.__file__
print(packing.build())
"""


@pytest.mark.installed
def test_an_unpacked_archive_is_all_that_penstock_needs(tmp_path: Path) -> None:
    facts = packing.pack(tmp_path / "e.tar.gz")
    place = tmp_path / "unpacked"
    with tarfile.open(tmp_path / "e.tar.gz") as archive:
        archive.extractall(place)

    code = CODE.replace("PLACE", repr(str(place)))
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],  # -S: without what is installed here
        env={**os.environ, "PYTHONPATH": str(place)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == facts["build"] == packing.build()
    assert json.loads((place / packing.FACTS).read_text())["packages"]["msgspec"]
    assert "pyspark" not in facts["packages"]


def test_a_worker_of_another_build_is_refused() -> None:
    packing.check_build(packing.build())

    with pytest.raises(MQError, match="the driver has Penstock") as caught:
        packing.check_build("Penstock 0.0, Python 2.7, Linux vax")

    assert caught.value.reason == 8406


def test_a_package_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(MQError) as caught:
        packing.pack(tmp_path / "e.tar.gz", ["no-such-package"])

    assert caught.value.reason == 8401

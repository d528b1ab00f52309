"""The archive for workers: complete, and refused where it does not fit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from penstock.esql.database.data_sources import DataSources
from penstock.model.errors import MQError
from penstock.spark.starting import packing

CODE = """
import penstock, penstock.client.connect, penstock.store.journal
from penstock.esql.database.data_sources import DataSources
from penstock.spark.starting import packing
assert penstock.__file__.startswith(PLACE), penstock.__file__
assert DataSources().url("SHOP") == "postgresql://me@host/shop?passfile=/etc/pgpass"
print(packing.build())
"""


@pytest.mark.installed
def test_an_unpacked_archive_is_all_that_penstock_needs(tmp_path: Path, penstock_home: Path) -> None:
    DataSources().add("SHOP", "postgresql://me@host/shop?passfile=/etc/pgpass")
    DataSources().add("OTHER", "postgresql://me:secret@host/shop")
    facts = packing.pack(tmp_path / "e.tar.gz", sources=["SHOP"])
    place = tmp_path / "unpacked"
    with tarfile.open(tmp_path / "e.tar.gz") as archive:
        archive.extractall(place)

    code = CODE.replace("PLACE", repr(str(place)))
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],  # -S: without what is installed here
        env={**os.environ, "PYTHONPATH": str(place), "PENSTOCK_HOME": str(place / packing.HOME)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == facts["build"] == packing.build()
    assert json.loads((place / packing.FACTS).read_text())["packages"]["msgspec"]
    assert "pyspark" not in facts["packages"]
    options = packing.options_for(tmp_path / "e.tar.gz", has_sources=True)
    assert options["spark.executorEnv.PENSTOCK_HOME"] == f"{packing.UNPACKED}/{packing.HOME}"


@pytest.mark.parametrize(
    "url", ["postgresql://me:secret@host/shop", "postgresql://host/shop?password=secret"]
)
def test_a_password_is_not_packed(tmp_path: Path, penstock_home: Path, url: str) -> None:
    DataSources().add("SHOP", url)

    with pytest.raises(MQError, match="has a password") as caught:
        packing.pack(tmp_path / "e.tar.gz", sources=["SHOP"])

    assert caught.value.reason == 8231
    assert "secret@" not in str(caught.value)
    assert not (tmp_path / "e.tar.gz").exists()


def test_a_worker_of_another_build_is_refused() -> None:
    packing.check_build(packing.build())

    with pytest.raises(MQError, match="the driver has Penstock") as caught:
        packing.check_build("Penstock 0.0, Python 2.7, Linux vax")

    assert caught.value.reason == 8406


def test_a_package_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(MQError) as caught:
        packing.pack(tmp_path / "e.tar.gz", ["no-such-package"])

    assert caught.value.reason == 8401

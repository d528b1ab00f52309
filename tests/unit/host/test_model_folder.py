"""The folder of message models: what is half written, rewritten in place or gone is seen as it is now."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from penstock.host.selectors.model_folder import ModelFolder

BOOK = """       01 ORDER.
          05 NUMBER-OF PIC 9(4).
"""


@pytest.fixture
def folder(tmp_path: Path) -> ModelFolder:
    return ModelFolder(tmp_path)


def test_a_model_that_was_half_written_is_read_when_it_is_whole(folder: ModelFolder) -> None:
    path = folder.path / "orders.cpy"
    path.write_text("       01 ORDER.\n          05 NUMBER-OF PIC")
    assert folder.find("orders") is None
    path.write_text(BOOK)
    assert folder.find("orders") is not None


def test_a_model_that_is_rewritten_in_place_is_read_again(folder: ModelFolder) -> None:
    path = folder.path / "orders.cpy"
    path.write_text(BOOK)
    before = folder.find("orders")
    assert folder.find("orders") is before
    path.write_text(BOOK.replace("9(4)", "9(12)"))
    assert folder.find("orders") not in (None, before)


def test_what_is_gone_is_none(folder: ModelFolder) -> None:
    (folder.path / "orders.cpy").write_text(BOOK)
    assert folder.find("orders") is not None
    (folder.path / "orders.cpy").unlink()
    assert folder.find("orders") is None
    shutil.rmtree(folder.path)
    assert folder.find("orders") is None

"""A queue manager of a user who keeps others out: a reason code, and no harm to the list of all."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

import penstock
from penstock.host.folders.folder import list_folders

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def kept_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with one queue manager of ours and one that we may not look into."""
    for name in ("OURS", "THEIRS"):
        penstock.embed(name, create=True, home=tmp_path).close()
    inside = str(tmp_path / "THEIRS" / "qm.ini")
    real = os.stat

    def stat(path: object, **options: object) -> os.stat_result:
        if str(path) == inside:
            raise PermissionError(13, "Permission denied", inside)
        return real(path, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "stat", stat)
    return tmp_path


@pytest.mark.parametrize("create", [True, False])
def test_opening_it_is_refused(kept_out: Path, create: bool) -> None:
    with pytest.raises(penstock.MQError) as caught:
        penstock.embed("THEIRS", create=create, home=kept_out)
    assert caught.value.reason == 8006
    assert "Permission denied" in str(caught.value)


def test_the_others_are_listed(kept_out: Path) -> None:
    assert [folder.name for folder in list_folders(kept_out)] == ["OURS"]

"""What of a folder is the project: `.penstockignore` and its defaults; copies are private."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import penstock
from penstock.flow.project_content import content_of, copy_content, digest_of

if TYPE_CHECKING:
    from pathlib import Path


def write(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)


def names(folder: Path) -> list[str]:
    return [str(name) for _, name in content_of(folder)]


def test_defaults_leave_out_what_is_no_part_of_a_project(tmp_path: Path) -> None:
    write(tmp_path, "flows/a.py", "esql/a.esql", "models/m.yaml", "flows/tests/kept.py", ".penstockignore")
    (tmp_path / ".penstockignore").write_text("")
    write(
        tmp_path,
        ".git/config",
        ".venv/bin/python",
        "flows/__pycache__/a.pyc",
        "tests/a.yaml",
        ".env",
        "x.py~",
    )

    assert names(tmp_path) == [
        ".penstockignore",
        "esql/a.esql",
        "flows/a.py",
        "flows/tests/kept.py",
        "models/m.yaml",
    ]


def test_the_file_adds_patterns_and_takes_defaults_back(tmp_path: Path) -> None:
    write(
        tmp_path, "flows/a.py", "data/big.csv", "data/keep.csv", "notes.md", "tests/a.yaml", "deep/data/x.csv"
    )
    (tmp_path / ".penstockignore").write_text("# ours\n/data/*\n!/data/keep.csv\n*.md\n!/tests/\n")

    assert names(tmp_path) == [
        ".penstockignore",
        "data/keep.csv",
        "deep/data/x.csv",
        "flows/a.py",
        "tests/a.yaml",
    ]


def test_a_copy_is_its_owners_alone_and_has_the_same_content(tmp_path: Path) -> None:
    source, copy = tmp_path / "source", tmp_path / "copy"
    write(source, "flows/a.py", "bin/tool", ".git/config")
    for path in source.rglob("*"):
        path.chmod(0o777 if path.is_dir() or path.name == "tool" else 0o666)

    copy_content(source, copy)

    modes = {path.name: path.stat().st_mode & 0o777 for path in (copy, *copy.rglob("*"))}
    assert modes == {"copy": 0o700, "flows": 0o700, "bin": 0o700, "a.py": 0o600, "tool": 0o700}
    assert digest_of(copy) == digest_of(source)


def test_links_are_followed_once(tmp_path: Path) -> None:
    source, shared = tmp_path / "source", tmp_path / "shared"
    write(source, "flows/a.py")
    write(shared, "model.yaml")
    (source / "models").symlink_to(shared)
    (source / "again").symlink_to(source)

    assert names(source) == ["flows/a.py", "models/model.yaml"]


def test_a_file_that_cannot_be_copied_is_named(tmp_path: Path) -> None:
    write(tmp_path / "source", "flows/a.py")
    (tmp_path / "source/.penstockignore").write_bytes(b"\xff\xfe bad")

    with pytest.raises(penstock.MQError, match="penstockignore cannot be read"):
        copy_content(tmp_path / "source", tmp_path / "copy")

"""Which files of a folder are the project: all but those that `.penstockignore` and the defaults leave out.

Asked by `deploy`, which copies them, and by Spark, which takes them to workers. Patterns are those of
gitignore; those of the file come after the defaults, so that `!tests/` takes back one of them. As with git,
nothing below a folder that is left out can be taken back. Links are followed, but never in a circle.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.store.files import FILE_MODE
from penstock.store.home import FOLDER_MODE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pathspec import GitIgnoreSpec

NAME = ".penstockignore"
DEFAULTS = (
    *(".git/", ".hg/", ".svn/", ".gitignore", ".gitattributes"),
    *(".venv/", "venv/", "__pycache__/", "*.py[co]", "*.egg-info/", "node_modules/"),
    *(".pytest_cache/", ".mypy_cache/", ".ruff_cache/", ".tox/", ".coverage", "htmlcov/"),
    *(".idea/", ".vscode/", ".DS_Store", "*~", "*.swp", "*.orig", "*.rej"),
    *(".env", ".env.*", "/tests/"),
)


def content_of(source: Path) -> Iterator[tuple[Path, Path]]:
    """Yield the files of a project, and their paths in it, in order; 8304 when a folder cannot be read."""
    yield from _below(source, Path(), _rules(source), frozenset())


def digest_of(source: Path) -> str:
    """Return a digest of the content of a project."""
    digest = hashlib.sha256()
    for path, relative in content_of(source):
        digest.update(f"{relative} {path.stat().st_size}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def copy_content(source: Path, target: Path) -> None:
    """Copy a project into a new folder that only its owner can read."""
    target.mkdir(mode=FOLDER_MODE)
    for path, relative in content_of(source):
        place = target / relative
        place.parent.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        try:
            descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _mode(path))
            with os.fdopen(descriptor, "wb") as file:
                file.write(path.read_bytes())
        except OSError as raised:
            raise error(mq.PSRC_FLOW_PROJECT, f"{path} cannot be copied: {raised.strerror}") from raised


def _mode(path: Path) -> int:
    """Return the mode of a copy: for the owner alone, who may run what could be run."""
    return FILE_MODE | (path.stat().st_mode & 0o100)


def _rules(source: Path) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec

    try:
        lines = (source / NAME).read_text("utf-8").splitlines()
    except FileNotFoundError:
        lines = []
    except (OSError, ValueError) as raised:
        raise error(mq.PSRC_FLOW_PROJECT, f"{source / NAME} cannot be read: {raised}") from raised
    try:
        return GitIgnoreSpec.from_lines([*DEFAULTS, *lines])
    except ValueError as raised:
        raise error(mq.PSRC_FLOW_PROJECT, f"{source / NAME}: {raised}") from raised


def _below(
    folder: Path, relative: Path, rules: GitIgnoreSpec, above: frozenset[tuple[int, int]]
) -> Iterator[tuple[Path, Path]]:
    found = folder.stat()
    own = (found.st_dev, found.st_ino)
    if own in above:
        return  # a link to a folder that it is in
    try:
        entries = sorted(folder.iterdir())
    except OSError as raised:
        raise error(mq.PSRC_FLOW_PROJECT, f"{folder} cannot be read: {raised.strerror}") from raised
    for path in entries:
        name = relative / path.name
        if path.is_dir():
            if not rules.match_file(f"{name.as_posix()}/"):
                yield from _below(path, name, rules, above | {own})
        elif path.is_file() and not rules.match_file(name.as_posix()):
            yield path, name

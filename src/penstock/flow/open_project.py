"""Opens a project that a user names: a folder, or a BAR file that is unpacked temporarily."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from penstock.flow.importer.bar import is_bar, unpack
from penstock.flow.importer.overrides import read_override_file
from penstock.flow.project import Project
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def opened(path: Path, overrides: Path | None = None, **options: Any) -> Iterator[Project]:
    """Yield the project at a path; `overrides` is a file of `flow#node.property=value` lines."""
    told = None if overrides is None else read_override_file(overrides.read_text("utf-8"), str(overrides))
    if is_bar(path):
        with TemporaryDirectory(prefix="penstock-bar-") as folder:
            left = unpack(path, Path(folder)).left
            project = Project(folder, overrides=told, **options)
            project.left = left
            if not (project.flows or project.unread or left):
                raise error(mq.PSRC_FLOW_PROJECT, f"{path} holds no flow")
            yield project
    elif path.is_dir():
        yield Project(path, overrides=told, **options)
    else:
        raise error(mq.PSRC_FLOW_PROJECT, f"{path} is neither a folder nor a BAR file")

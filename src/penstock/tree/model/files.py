"""Models in files: a YAML file, a COBOL copybook, an XML or DFDL schema, or a message set.

The file extension determines the kind. Called by the command line and by flow projects.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from penstock.tree.model.logical import Model

_DFDL = b"http://www.ogf.org/dfdl/dfdl-1.0/"
COPYBOOKS = (".cpy", ".cbl", ".cob", ".copy", ".cobol")


def load_model(path: Path) -> Model:
    """Return the model in a file, by its extension; COPY books are looked up next to it."""
    from penstock.tree.model import import_copybook, import_dfdl, import_message_set, import_xsd, read_model

    if path.is_dir() or path.suffix.lower() in (".mset", ".mxsd"):
        return import_message_set(path)
    if not path.is_file():
        raise error(mq.PSRC_ARGUMENT_ERROR, f"there is no file {path}")
    if path.suffix.lower() == ".xsd":
        load = import_dfdl if _DFDL in path.read_bytes() else import_xsd
        return load(path, name=path.stem)
    if path.suffix.lower() in COPYBOOKS:
        text = _text(path)
        return import_copybook(text, name=path.stem, copy=lambda name: _book(path, name))
    if path.suffix.lower() in (".yaml", ".yml"):
        return read_model(_text(path), name=path.stem)
    known = ", ".join((".yaml", ".xsd", ".mset", ".mxsd", *COPYBOOKS))
    raise error(
        mq.PSRC_ARGUMENT_ERROR, f"a model is a file {known} or the folder of a message set, not {path.name}"
    )


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError as problem:
        raise error(
            mq.PSRC_MODEL_ERROR, f"{path}: not UTF-8 at byte {problem.start}", file=str(path)
        ) from problem


def _book(path: Path, name: str) -> str:
    for ending in ("", *COPYBOOKS):
        found = path.with_name(Path(name + ending).name)
        if found.is_file():
            return _text(found)
    raise error(mq.PSRC_MODEL_ERROR, f"COPY {name}: there is no such file beside {path}")

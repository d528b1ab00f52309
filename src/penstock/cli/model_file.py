"""Models named on the command line: a YAML file, a COBOL copybook, an XML or DFDL schema or a message set."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.tree.model import Model

_NOTES_MAX = 20


def load_model(path: Path | None) -> Model | None:
    """Return the model in a file; the importer's notes are printed on standard error."""
    from penstock.tree.model import files

    if path is None:
        return None
    model = files.load_model(path)
    for note in model.notes[:_NOTES_MAX]:
        print(f"penstock: note: {note}", file=sys.stderr)
    if len(model.notes) > _NOTES_MAX:
        print(f"penstock: note: and {len(model.notes) - _NOTES_MAX} more", file=sys.stderr)
    return model

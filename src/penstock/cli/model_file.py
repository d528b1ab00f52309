"""Models named on the command line: a YAML file, a COBOL copybook, an XML or DFDL schema or a message set."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from penstock.tree.model import Model

ModelOption = Annotated[Path | None, typer.Option(help="A model: YAML, copybook, .xsd, message set.")]
MessageOption = Annotated[str | None, typer.Option(help="Which message of the model.")]
FormatOption = Annotated[str | None, typer.Option(help="Which physical format of the model.")]
CcsidOption = Annotated[int | None, typer.Option(help="The character set, as in MQMD.")]
EncodingOption = Annotated[int | None, typer.Option(help="The encoding of numbers, as in MQMD.")]

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

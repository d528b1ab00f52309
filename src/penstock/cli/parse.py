"""`penstock parse FILE --domain D [--model M]`: print the tree of a message with the types of its values.

Reads a file (or standard input, `-`), knows no queue manager. Everything is decoded, so bad data is
found; the exit code is 1 then. `cli.main` registers it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli.model_file import load_model

if TYPE_CHECKING:
    from penstock import tree


def parse(
    file: Annotated[Path, typer.Argument(help="The message; - is standard input.")],
    domain: Annotated[str, typer.Option(help="XMLNSC, JSON, MRM ...")],
    model: Annotated[Path | None, typer.Option(help="A model: YAML, copybook, .xsd, message set.")] = None,
    message: Annotated[str | None, typer.Option(help="Which message of the model.")] = None,
    format: Annotated[str | None, typer.Option(help="Which physical format of the model.")] = None,
    ccsid: Annotated[int | None, typer.Option(help="The character set, as in MQMD.")] = None,
    encoding: Annotated[int | None, typer.Option(help="The encoding of numbers, as in MQMD.")] = None,
    allow_doctype: Annotated[
        bool, typer.Option("--allow-doctype", help="Accept a document type in XML.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print the tree of a message, with the types of its values."""
    found = parsed(file, domain, load_model(model), message, format, ccsid, encoding, allow_doctype)
    if as_json:
        print(json.dumps([shown(folder) for folder in found], ensure_ascii=False, indent=2))
        return
    from rich.console import Console

    Console(soft_wrap=True).print(str(found), markup=False, highlight=True)


def parsed(
    file: Path,
    domain: str,
    model: object,
    message: str | None,
    format: str | None,
    ccsid: int | None,
    encoding: int | None,
    doctype: bool = False,
) -> tree.Message:
    """Return the message in a file, with every value decoded."""
    from penstock import tree
    from penstock.model.errors import error

    if str(file) != "-" and not file.is_file():
        raise error(8042, f"there is no file {file}")
    data = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    return tree.parse(
        data,
        domain,
        model,
        message=message,
        format=format,
        ccsid=ccsid,
        encoding=encoding,
        doctype=doctype,
        timing="complete",
    )


def shown(field: tree.Reference) -> dict[str, Any]:
    """Return a field and all below it as plain data."""
    from penstock.tree.dump import type_name, value_text

    about: dict[str, Any] = {"name": field.name, "type": f"0x{field.type:08X}"}
    if field.namespace:
        about["namespace"] = field.namespace
    if field.has_value:
        value = field.value
        about["value"] = value if isinstance(value, str | int | float | None) else value_text(value)
        about["value_type"] = "NULL" if value is None else type_name(value)
    children = [shown(child) for child in field]
    if children:
        about["children"] = children
    return about

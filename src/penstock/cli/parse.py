"""`penstock parse FILE --domain D [--model M]`: prints the tree of a message with the types of its values.

Reads a file (or standard input, `-`), without a queue manager. Everything is decoded, so invalid data is
found; then the exit code is 1. `cli.main` registers it.
"""

from __future__ import annotations

import json
import sys
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli.model_file import (
    CcsidOption,
    EncodingOption,
    FormatOption,
    MessageOption,
    ModelOption,
    load_model,
)
from penstock.model import constants as mq

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Unpack

    from penstock import tree
    from penstock.tree.core._message import BodyOptions


def parse(
    file: Annotated[Path, typer.Argument(help="The message; - is standard input.")],
    domain: Annotated[str, typer.Option(help="XMLNSC, JSON, MRM ...")],
    model: ModelOption = None,
    message: MessageOption = None,
    format: FormatOption = None,
    ccsid: CcsidOption = None,
    encoding: EncodingOption = None,
    allow_doctype: Annotated[
        bool, typer.Option("--allow-doctype", help="Accept a document type in XML.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print the tree of a message, with the types of its values."""
    found = parsed(
        file,
        domain,
        load_model(model),
        message=message,
        format=format,
        ccsid=ccsid,
        encoding=encoding,
        doctype=allow_doctype,
    )
    if as_json:
        for text in json_text(found):
            print(text, end="")
        return
    from rich.console import Console

    Console(soft_wrap=True).print(str(found), markup=False, highlight=True)


def parsed(file: Path, domain: str, model: object, **options: Unpack[BodyOptions]) -> tree.Message:
    """Return the message in a file, with every value decoded."""
    from penstock import tree
    from penstock.model.errors import error

    if str(file) != "-" and not file.is_file():
        raise error(mq.PSRC_ARGUMENT_ERROR, f"there is no file {file}")
    data = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    return tree.parse(data, domain, model, timing="complete", **options)


def json_text(found: Iterable[tree.Reference]) -> Iterator[str]:
    """Yield the tree as JSON, piece by piece; iterative, because the message decides the depth."""
    waiting = [iter(found)]
    is_first = True
    yield "["
    while waiting:
        margin = "  " + "    " * (len(waiting) - 1)
        field = next(waiting[-1], None)
        if field is None:
            waiting.pop()
            yield (
                ("" if is_first else "\n" + margin[2:]) + "]" + ("\n" + margin[4:] + "}" if waiting else "\n")
            )
            is_first = False
            continue
        about = json.dumps(shown(field), ensure_ascii=False, indent=2).replace("\n", "\n" + margin)
        yield ("\n" if is_first else ",\n") + margin
        is_first = next(iter(field), None) is not None
        yield about.removesuffix("\n" + margin + "}") + f',\n{margin}  "children": [' if is_first else about
        if is_first:
            waiting.append(iter(field))


def shown(field: tree.Reference) -> dict[str, Any]:
    """Return a field as plain data, without its children."""
    from penstock.tree.dump import type_name, value_text

    about: dict[str, Any] = {"name": field.name, "type": f"0x{field.type:08X}"}
    if field.namespace:
        about["namespace"] = field.namespace
    if field.has_value:
        value = field.value
        is_plain = isinstance(value, str | int | None) or (isinstance(value, float) and isfinite(value))
        about["value"] = value if is_plain else value_text(value)
        about["value_type"] = "NULL" if value is None else type_name(value)
    return about

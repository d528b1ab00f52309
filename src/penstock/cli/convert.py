"""`penstock convert FILE --domain D --to D2`: the same message in another format.

Both sides have a model, a message and a format, the target's with the prefix `--to-`. The result goes to a
file or to standard output, unchanged. `cli.main` registers it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from penstock.cli.model_file import (
    CcsidOption,
    EncodingOption,
    FormatOption,
    MessageOption,
    ModelOption,
    load_model,
)
from penstock.cli.parse import parsed


def convert(
    file: Annotated[Path, typer.Argument(help="The message; - is standard input.")],
    domain: Annotated[str, typer.Option(help="The domain of the message: XMLNSC, JSON, MRM ...")],
    to: Annotated[str, typer.Option(help="The domain to convert to.")],
    model: ModelOption = None,
    message: MessageOption = None,
    format: FormatOption = None,
    ccsid: CcsidOption = None,
    encoding: EncodingOption = None,
    to_model: Annotated[Path | None, typer.Option(help="The target's model, if it is another one.")] = None,
    to_message: Annotated[str | None, typer.Option(help="The target's message.")] = None,
    to_format: Annotated[str | None, typer.Option(help="The target's physical format.")] = None,
    to_ccsid: Annotated[int | None, typer.Option(help="The target's character set.")] = None,
    to_encoding: Annotated[int | None, typer.Option(help="The target's encoding of numbers.")] = None,
    root: Annotated[str, typer.Option(help="The root element of XML that has none yet.")] = "",
    allow_doctype: Annotated[bool, typer.Option("--allow-doctype", help="Accept a document type.")] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Where to write.")] = None,
) -> None:
    """Convert a message from one format to another."""
    from penstock.tree.convert import convert as converted

    known = load_model(model)
    source = parsed(
        file,
        domain,
        known if domain in ("MRM", "DFDL") else None,
        message=message,
        format=format,
        ccsid=ccsid,
        encoding=encoding,
        doctype=allow_doctype,
    )
    target = None
    if to in ("MRM", "DFDL"):
        target = load_model(to_model) if to_model else known
    result = converted(
        source,
        to,
        target,
        message=to_message or (message if target is not None else None),
        format=to_format,
        root=root or to_message or message or "",
        ccsid=to_ccsid,
        encoding=to_encoding,
    )
    data = result.serialise()
    if output is None:
        sys.stdout.buffer.write(data)
        if sys.stdout.isatty() and not data.endswith(b"\n"):
            sys.stdout.buffer.write(b"\n")  # for people; a file or pipe gets the bytes only
    else:
        output.write_bytes(data)

"""Commands that need an extra: without its packages they say how to install it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def needs_extra(extra: str) -> Iterator[None]:
    """Turn a missing package into a sentence that names the extra."""
    try:
        yield
    except ModuleNotFoundError as missing:
        if (missing.name or "").startswith("penstock"):
            raise
        raise typer.BadParameter(
            f"this command needs {missing.name}: install Penstock with it, pip install 'penstock[{extra}]'"
        ) from missing

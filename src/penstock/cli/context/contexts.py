"""The file of named addresses, `contexts.yaml` below PENSTOCK_HOME, for its owner alone.

An entry has an address, a user and the file of a password, never a password. TLS options are part of the
address. One entry may be in use: commands without a queue manager's name take it.
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import typer

from penstock.cli.connecting import CONTEXT

if TYPE_CHECKING:
    from pathlib import Path

NAME_LENGTH_MAX = 64
CONTEXTS_MAX = 1_000
ONLY_OWNER = 0o600


@dataclass(frozen=True)
class Context:
    """A named address."""

    address: str
    user: str = ""
    password_file: str = ""


def file() -> Path:
    """Return the place of the file."""
    from penstock.store.home import penstock_home

    return penstock_home() / "contexts.yaml"


def read() -> tuple[dict[str, Context], str]:
    """Return all contexts, and the name of the one in use."""
    import yaml

    place = file()
    if not place.exists():
        return {}, ""
    try:
        data: Any = yaml.safe_load(place.read_text("utf-8")) or {}
        found = {str(name): Context(**about) for name, about in (data.get("contexts") or {}).items()}
        return found, str(data.get("use") or "")
    except (yaml.YAMLError, AttributeError, TypeError) as failure:
        raise typer.BadParameter(f"{place} cannot be read: {failure}") from failure


def write(found: dict[str, Context], use: str) -> None:
    """Replace the file in one step; only its owner may read it."""
    import yaml

    place = file()
    place.parent.mkdir(parents=True, exist_ok=True)
    new = place.with_name(f"{place.name}.new")
    data = {"use": use, "contexts": {name: asdict(each) for name, each in sorted(found.items())}}
    new.touch(ONLY_OWNER)
    new.write_text(yaml.safe_dump(data, sort_keys=False), "utf-8")
    new.replace(place)


def in_use() -> Context | None:
    """Return the context that --context names, else the one in use; a usage error for an unknown one."""
    name = os.environ.get(CONTEXT, "")
    if not name and not file().exists():
        return None
    found, used = read()
    return known(found, name or used) if name or used else None


def known(found: dict[str, Context], name: str) -> Context:
    """Return a context; a usage error if there is none of this name."""
    if name not in found:
        raise typer.BadParameter(f"there is no context {name}; `penstock context list` shows them")
    return found[name]


def tell(as_json: bool, text: str, **facts: Any) -> None:
    """Print what was done, as a sentence or as facts."""
    from penstock.cli.printing import show_json

    if as_json:
        show_json(facts)
    else:
        print(text)

"""The public names of a package, loaded from where they are defined when they are first used.

The stub beside a package's `__init__.py` is the one list of its names, one import each:
`from penstock.model.message import Message as Message`. Type checkers read it, and so does `lazy_names`. So
`import penstock` stays quick, and a name is written once.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def lazy_names(package: str, file: str) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__all__`, `__getattr__` and `__dir__` of a package, from the stub beside its file."""
    with open(f"{file}i") as stub:  # noqa: PTH123 - pathlib would take longer to load than the rest
        words = stub.read().replace("(", "").split()
    places = {words[i + 3]: words[i + 1] for i, word in enumerate(words) if word == "from"}

    def get(name: str) -> Any:
        place = places.get(name)
        if place is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if place == package:  # a module of the package
            return import_module(f"{package}.{name}")
        value = getattr(import_module(place), name)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*(name for name in vars(sys.modules[package]) if name.startswith("__")), *places})

    return sorted(places), get, names

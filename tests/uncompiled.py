"""Imports `penstock.*` from the `.py` files under `src/` instead of the installed, compiled ones.

Used by conftest when PENSTOCK_UNCOMPILED is set, so that modules in pure-Python mode are tested both
ways. Modules that exist only as `.pyx` still come from the installed build: a package's search path
lists `src` first and the installed folder after it. Call `install()` before the first import.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src"


class SourceFinder(MetaPathFinder):
    """Finds every `penstock` module that has a `.py` under `src/`; leaves the rest to the others."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname.partition(".")[0] != "penstock":
            return None
        place = SOURCE.joinpath(*fullname.split("."))
        if (place / "__init__.py").exists():
            return package_spec(fullname, place)
        module = place.with_suffix(".py")
        if not module.exists():
            return None
        loader = importlib.machinery.SourceFileLoader(fullname, str(module))
        return importlib.util.spec_from_file_location(fullname, module, loader=loader)


def package_spec(fullname: str, place: Path) -> importlib.machinery.ModuleSpec | None:
    installed = [
        str(found)
        for entry in sys.path
        if (found := Path(entry or ".").joinpath(*fullname.split("."))).is_dir() and found != place
    ]
    return importlib.util.spec_from_file_location(
        fullname, place / "__init__.py", submodule_search_locations=[str(place), *installed]
    )


def install() -> None:
    """Put the finder first and keep byte code out of `src/`."""
    loaded = [name for name in sys.modules if name.partition(".")[0] == "penstock"]
    if loaded:
        raise RuntimeError(f"imported before the uncompiled run began: {', '.join(sorted(loaded))}")
    sys.pycache_prefix = str(ROOT / "build" / "pycache")
    sys.meta_path.insert(0, SourceFinder())

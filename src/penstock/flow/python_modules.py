"""Python modules of a project, isolated from other projects, which may have modules of the same name.

After an import, `sys.modules` is restored: modules of the project are kept with the project and made
available for its next import. A module with the name of a standard library module does not replace that. A
function that uses a module of its project must import it at the top of its own module, not while it runs.
"""

from __future__ import annotations

import importlib
import sys
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

FOLDERS = (".", "flows", "python")
_importing = threading.Lock()


class PythonModules:
    """The modules of one project, by name."""

    def __init__(self, folder: Path) -> None:
        self._folders = [(folder / each).resolve() for each in FOLDERS]
        self._own: dict[str, ModuleType] = {}

    def load(self, name: str) -> ModuleType:
        """Return a module by its name: of the project, or of Python's own path; ImportError if of none."""
        with _importing:
            hidden = {each: sys.modules.pop(each) for each in self._shadowed()}
            sys.modules.update(self._own)
            before = set(sys.modules)
            added = [str(each) for each in self._folders]
            sys.path[:0] = added
            importlib.invalidate_caches()
            try:
                return importlib.import_module(name)
            finally:
                for each in added:
                    sys.path.remove(each)
                self._take_back(before)
                sys.modules.update(hidden)

    def _shadowed(self) -> list[str]:
        """Return loaded modules with the name of one of the project's, except standard library modules."""
        own = {
            path.stem
            for folder in self._folders
            if folder.is_dir()
            for path in folder.iterdir()
            if path.suffix == ".py" or (path / "__init__.py").is_file()
        }
        own -= sys.stdlib_module_names
        return [each for each in list(sys.modules) if each in self._own or each.partition(".")[0] in own]

    def _take_back(self, before: set[str]) -> None:
        """Keep modules imported from the project's folders; packages of a .venv in them stay global."""
        for name in [each for each in list(sys.modules) if each not in before or each in self._own]:
            file = getattr(sys.modules[name], "__file__", None) or ""
            if name in self._own or any(_is_in(each, name, file) for each in self._folders):
                self._own[name] = sys.modules.pop(name)


def _is_in(folder: Path, name: str, file: str) -> bool:
    """Return whether a module's file is in a folder under the module's own name."""
    first = file.removeprefix(f"{folder}/").partition("/")[0].partition(".")[0]
    return file.startswith(f"{folder}/") and first == name.partition(".")[0]

"""The Java files of a project, and the classes in them by name.

A class is looked for below every folder of a workspace, by its package and name; a file is read when a flow
needs it. Problems of a class are kept: it is not read again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.java.classes import JavaClass, JavaMethod
from penstock.flow.java.parsing import parsed
from penstock.flow.java.problem import JavaProblem

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from penstock.flow.java.syntax import Unit

ENDING = ".java"
TESTS = ("test", "tests")


class JavaSources:
    """The classes of the Java files below a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files: dict[str, list[Path]] | None = None
        self._classes: dict[str, JavaClass | None] = {}
        self._initialisers: dict[tuple[str, bool], Callable[[dict[str, Any]], Any]] = {}

    def _files_of(self, short: str) -> list[Path]:
        if self._files is None:
            self._files = {}
            for path in sorted(self.folder.rglob(f"*{ENDING}")):
                self._files.setdefault(path.stem, []).append(path)
        return self._files.get(short, [])

    def class_(self, name: str) -> JavaClass | None:
        """Return a class by its full name; None if no file has it, a problem if it cannot be read."""
        if name not in self._classes:
            self._classes[name] = None
            self._classes[name] = self._read(name)
        return self._classes[name]

    def _read(self, name: str) -> JavaClass | None:
        package, _, short = name.rpartition(".")
        ending = f"/{name.replace('.', '/')}{ENDING}"
        for path in self._files_of(short):
            if not f"/{path.relative_to(self.folder).as_posix()}".endswith(ending):
                continue
            file = path.relative_to(self.folder).as_posix()
            try:
                unit = parsed(path.read_bytes().decode("utf-8", "replace"))
                if unit.package != package:
                    continue
                for declared in unit.classes:
                    made = JavaClass(self, unit, declared, file)
                    self._classes[made.name] = made
            except JavaProblem as found:
                found.file = file
                raise
            return self._classes.get(name)
        return None

    def class_at(self, path: Path) -> JavaClass:
        """Return the first class of a file below the folder."""
        unit = parsed(path.read_bytes().decode("utf-8", "replace"))
        short = unit.classes[0].name if unit.classes else path.stem
        found = self.class_(f"{unit.package}.{short}" if unit.package else short)
        if found is None:
            raise JavaProblem(1, f"the file is not where its package {unit.package} says", str(path))
        return found

    def find(self, name: str, unit: Unit) -> JavaClass | None:
        """Return a class by a name as a file writes it: full, imported, or of the same package."""
        first, _, rest = name.partition(".")
        tried = [f"{unit.package}.{name}" if unit.package else name]
        for each in unit.imports:
            if each.endswith(f".{first}"):
                tried.insert(0, f"{each}.{rest}" if rest else each)
            elif each.endswith(".*"):
                tried.append(f"{each[:-1]}{name}")
        if rest and name not in tried:
            tried.append(name)
        for each in tried:
            found = self.class_(each)
            if found is not None:
                return found
            outer, _, short = each.rpartition(".")
            around = self.class_(outer) if outer else None
            if around is not None and short in around.inner:
                return around.inner[short]
        return None

    def initialiser(self, class_: JavaClass, *, is_static: bool) -> Callable[[dict[str, Any]], Any]:
        """Return what sets the fields of a class, or of an object of it, at first."""
        key = (class_.name, is_static)
        if key not in self._initialisers:
            from penstock.flow.java.statements import compiled_initialiser

            self._initialisers[key] = lambda _: None  # a class that needs itself
            try:
                self._initialisers[key] = compiled_initialiser(class_, is_static)
            except JavaProblem as found:
                del self._initialisers[key]
                found.file = found.file or class_.file
                raise
        return self._initialisers[key]

    def static_method(self, class_: str, name: str) -> list[JavaMethod]:
        """Return the static methods of a name, ready to run."""
        found = self.class_(class_)
        if found is None:
            return []
        methods = [each for each in found.methods if each.declared.name == name and each.declared.is_static]
        for each in methods:
            self.initialiser(found, is_static=True)
            each.prepare()
        return methods

"""The Java files of a project, and the classes in them by name.

A class is looked for below every folder of a workspace, by its package and name; a file is read when a flow
needs it. Problems of a class are kept: it is not read again.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from penstock.flow.java.classes import JavaClass, JavaMethod
from penstock.flow.java.parsing import parsed
from penstock.flow.java.problem import JavaProblem

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from penstock.flow.java.syntax import Marks, Unit

ENDING = ".java"
PACKAGE = "package-info"
TESTS = ("test", "tests")


class JavaSources:
    """The classes of the Java files below a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._classes: dict[str, JavaClass | None] = {}
        self._initialisers: dict[tuple[str, bool], Callable[[dict[str, Any]], Any]] = {}

    @cached_property
    def _index(self) -> dict[str, list[Path]]:
        """The files by the names of their classes."""
        found: dict[str, list[Path]] = {}
        for path in sorted(self.folder.rglob(f"*{ENDING}")):
            found.setdefault(path.stem, []).append(path)
        return found

    @property
    def read(self) -> list[JavaClass]:
        """The classes that were read so far, with those inside them."""
        found = [each for each in self._classes.values() if each is not None]
        return [*found, *(inner for each in found for inner in each.inner.values())]

    def class_(self, name: str) -> JavaClass | None:
        """Return a class by its full name; None if no file has it, a problem if it cannot be read."""
        if name not in self._classes:
            self._classes[name] = None
            self._classes[name] = self._read(name)
        return self._classes[name]

    def _read(self, name: str) -> JavaClass | None:
        package, _, short = name.rpartition(".")
        ending = f"/{name.replace('.', '/')}{ENDING}"
        for path in self._index.get(short, ()):
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

    def package(self, name: str) -> list[JavaClass]:
        """Return all classes of a package, with those inside them."""
        ending = f"/{name.replace('.', '/')}"
        shorts = [
            short
            for short, paths in sorted(self._index.items())
            if any(f"/{each.parent.relative_to(self.folder).as_posix()}".endswith(ending) for each in paths)
        ]
        found = [self.class_(f"{name}.{short}") for short in shorts if short != PACKAGE]
        waiting, all_ = [each for each in found if each is not None], []
        while waiting:
            all_.append(waiting.pop(0))
            waiting += [each for each in all_[-1].inner.values() if each.outer is all_[-1]]
        return all_

    def package_marks(self, class_: JavaClass) -> Marks:
        """Return the annotations of a class's package."""
        beside = (self.folder / class_.file).parent / f"{PACKAGE}{ENDING}"
        if not beside.is_file():
            return {}
        return parsed(beside.read_bytes().decode("utf-8", "replace")).marks

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
            inner = self._inside(each)
            if inner is not None:
                return inner
        return None

    def _inside(self, name: str) -> JavaClass | None:
        """Return a class that is declared inside another one, at any depth."""
        outer, _, short = name.rpartition(".")
        if not outer:
            return None
        around = self.class_(outer) or self._inside(outer)
        return None if around is None else around.inner.get(short)

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

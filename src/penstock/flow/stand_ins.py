"""What runs in place of a project's Java: its Python in the folder `python/`, or its Java source, read here.

For `com.acme.Util.trim`, the modules `com/acme/Util.py` and `Util.py` are tried, in which `trim` is a
function or a method of a class `Util`; then every other module of the folder that has the class; then the
Java file of the class, if all that it does is known (`flow/java`). ESQL's LANGUAGE JAVA and PYTHON routines,
JavaCompute nodes and the functions of maps ask here. Common logging classes and some methods of Java itself
have a ready one.
"""

from __future__ import annotations

import importlib.util
import logging
import os
import time
from functools import cached_property
from typing import TYPE_CHECKING, Any

from penstock.flow.java.problem import JavaProblem
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from types import ModuleType

    from penstock.flow.external_routines import Outside
    from penstock.flow.java.sources import JavaSources
    from penstock.flow.project import Project

PYTHON = "python"
logger = logging.getLogger("penstock.flow.routines")
LEVELS = {
    "trace": logging.DEBUG,
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warn": logging.WARNING,
    "warning": logging.WARNING,
    "error": logging.ERROR,
    "fatal": logging.CRITICAL,
}
JAVA = "java"  # in the place of a module: the rest is a class of the project's Java
_LOGGERS = ("log4j", "logger", "logging", "log4jlogger", "logutil", "slf4j")


class StandIns:
    """The Python functions and classes of one project."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.problems: dict[str, str] = {}  # why Java is not run by its source, by class or method
        self._promised: set[str] = set()
        self._java_classes: dict[str, type | None] = {}
        self._java_functions: dict[str, Callable[..., Any] | None] = {}

    def function(self, class_: str, method: str) -> Callable[..., Any] | None:
        """Return the function for a method of a class; None if there is none."""
        short = class_.rpartition(".")[2]
        for module in self._modules(class_):
            holder = getattr(module, short, None)
            for owner in (holder, module) if isinstance(holder, type) else (module,):
                found: Callable[..., Any] | None = getattr(owner, method, None)
                if callable(found):
                    return found
        of_java = self._of_java(class_, method)
        return of_java or _READY.get(f"{class_}.{method}") or _logging(class_, method)

    def named(self, external: str) -> Callable[..., Any] | None:
        """Return the function for an EXTERNAL NAME such as `com.acme.Util.trim`."""
        class_, _, method = external.strip().rpartition(".")
        return self.function(class_, method) if class_ else None

    def has(self, routine: Outside) -> bool:
        """Return whether a routine has a function: of the project, or an installed one for Python."""
        found = self.named(routine.external)
        if found is not None:
            return not is_stub(found)
        top = routine.external.partition(".")[0]
        return routine.language == "PYTHON" and importlib.util.find_spec(top) is not None

    def is_stub_at(self, place: str) -> bool:
        """Return whether the function or class of a node, `module:name`, is an unwritten stub."""
        module, _, member = place.partition(":")
        if module == JAVA or not (self.project.folder / PYTHON / f"{module.replace('.', '/')}.py").is_file():
            return False
        try:
            found = getattr(self.project.python.load(module), member, None)
        except Exception:  # noqa: BLE001 - the node's own check tells why
            return False
        return is_stub(getattr(found, "evaluate", found))

    def promise(self, class_: str) -> None:
        """Let flows call a class for which a stub was written elsewhere."""
        self._promised.add(class_)

    def place_of(self, class_: str) -> str:
        """Return `module:name` of the replacement of a Java class in a node; empty if there is none."""
        short = class_.rpartition(".")[2]
        if class_ in self._promised:
            return f"{short}:{short}"
        for module in self._modules(class_):
            if isinstance(getattr(module, short, None), type):
                return f"{module.__name__}:{short}"
            if module.__name__.rpartition(".")[2] == short and callable(getattr(module, "evaluate", None)):
                return f"{module.__name__}:evaluate"
        return "" if self.java_class(class_) is None else f"{JAVA}:{class_}"

    @cached_property
    def java(self) -> JavaSources:
        """The project's Java."""
        from penstock.flow.java.sources import JavaSources

        return JavaSources(self.project.folder)

    def java_class(self, class_: str) -> type | None:
        """Return what runs a JavaCompute class by its source; None if that does not exist or does not run."""
        if class_ not in self._java_classes:
            self._java_classes[class_] = None
            try:
                found = self.java.class_(class_)
                if found is not None:
                    from penstock.flow.java.running import compute_class

                    self._java_classes[class_] = compute_class(found, self.project)
            except JavaProblem as problem:
                self.problems[class_] = str(problem)
        return self._java_classes[class_]

    def _of_java(self, class_: str, method: str) -> Callable[..., Any] | None:
        name = f"{class_}.{method}"
        if name not in self._java_functions:
            self._java_functions[name] = None
            try:
                found = self.java.static_method(class_, method)
                if found:
                    from penstock.flow.java.running import static_function

                    self._java_functions[name] = static_function(found, self.project)
            except JavaProblem as problem:
                self.problems[name] = str(problem)
        return self._java_functions[name]

    def _modules(self, class_: str) -> Iterator[ModuleType]:
        """Yield the modules that may have a class, those of its name first."""
        folder = self.project.folder / PYTHON
        if not folder.is_dir():
            return
        own = [class_, class_.rpartition(".")[2]]
        names = [each for each in own if each and (folder / f"{each.replace('.', '/')}.py").is_file()]
        names += [path.stem for path in sorted(folder.glob("*.py")) if path.stem not in names]
        for name in names:
            yield self._loaded(name, folder)

    def _loaded(self, name: str, folder: Path) -> ModuleType:
        try:
            return self.project.python.load(name)
        except Exception as raised:  # the edge between a project's code and ours
            what = f"{folder / name}.py cannot be imported: {type(raised).__name__}: {raised}"
            raise error(mq.PSRC_FLOW_PROJECT, what) from raised


def is_stub(function: Any) -> bool:
    """Return whether a function does nothing but raise NotImplementedError, as `flow import` writes it."""
    code = getattr(function, "__code__", None)
    return code is not None and code.co_names == ("NotImplementedError",)


def _logging(class_: str, method: str) -> Callable[..., Any] | None:
    """Return a function that logs, for a class that is only there to log.

    The last text of its arguments is what is logged; a level among them counts.
    """
    short = class_.rpartition(".")[2].lower()
    if not any(each in short for each in _LOGGERS):
        return None
    given = next((level for word, level in LEVELS.items() if word in method.lower()), logging.INFO)

    def log(*arguments: Any) -> bool:
        texts = [str(each) for each in arguments if isinstance(each, str)]
        level = next((LEVELS[each.lower()] for each in texts if each.lower() in LEVELS), given)
        logger.log(level, "%s %s", class_, " ".join(each for each in texts if each.lower() not in LEVELS))
        return True

    return log


def _environment_variable(name: str) -> str | None:
    """Return a variable of the process; None if it is not set."""
    return os.environ.get(name)


# Static methods of Java itself.
_READY: dict[str, Callable[..., Any]] = {
    "java.lang.System.getenv": _environment_variable,
    "java.lang.System.currentTimeMillis": lambda: int(time.time() * 1000),
    "java.lang.System.nanoTime": time.monotonic_ns,
}

"""Programs that Java starts: Runtime.exec, ProcessBuilder and Process.

A program gets what was written to it and runs to its end when its output, or its end, is asked for.
"""

from __future__ import annotations

import io
import os
import shlex
import subprocess
from functools import cached_property
from typing import Any

from penstock.flow.java.library.containers import ListClass, MapClass
from penstock.flow.java.library.files import File
from penstock.flow.java.library.streams import ByteArrayInputStream, ByteArrayOutputStream
from penstock.flow.java.library.thing import Long, Thing
from penstock.flow.java.throwables import thrown
from penstock.flow.java.values import Array

SECONDS_MAX = 600  # that a program may take


class Process(Thing):
    """A program that runs."""

    abstract = True

    def __init__(
        self, words: list[str], folder: Any = None, environment: dict[str, str] | None = None
    ) -> None:
        self._written = ByteArrayOutputStream()
        pipes: dict[str, Any] = {
            "stdin": subprocess.PIPE,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
        }
        where = folder.path if isinstance(folder, File) else None
        try:
            self._program = subprocess.Popen(words, cwd=where, env=environment, **pipes)
        except OSError as raised:
            what = f'Cannot run program "{words[0]}": error={raised.errno}, {raised.strerror}'
            raise thrown("IOException", what) from None

    @cached_property
    def _said(self) -> tuple[bytes, bytes]:
        try:
            return self._program.communicate(bytes(self._written.data), SECONDS_MAX)
        except subprocess.TimeoutExpired:
            self._program.kill()
            raise thrown("IOException", f"the program did not end in {SECONDS_MAX} s") from None

    def getOutputStream(self) -> ByteArrayOutputStream:
        return self._written

    def getInputStream(self) -> ByteArrayInputStream:
        return _Output(self, 0)

    def getErrorStream(self) -> ByteArrayInputStream:
        return _Output(self, 1)

    def waitFor(self, *_: Any) -> int:
        return self._said and self._program.returncode

    def exitValue(self) -> int:
        return self.waitFor()

    def isAlive(self) -> bool:
        return self._program.poll() is None

    def destroy(self) -> None:
        self._program.kill()

    destroyForcibly = destroy


class _Output(ByteArrayInputStream):
    """What a program wrote, read when it is asked for."""

    names = ("ProcessOutput",)
    abstract = True

    def __init__(self, program: Process, which: int) -> None:
        self._program, self._which = program, which

    @cached_property
    def data(self) -> io.BytesIO:  # type: ignore[override]
        return io.BytesIO(self._program._said[self._which])


class Runtime(Thing):
    """The process around."""

    abstract = True

    @staticmethod
    def getRuntime() -> Runtime:
        return Runtime()

    def exec(self, command: Any, environment: Any = None, folder: Any = None) -> Process:
        words = list(command) if isinstance(command, Array) else command.split()
        given = None if environment is None else dict(each.split("=", 1) for each in environment)
        return Process(words, folder, given)

    def availableProcessors(self) -> int:
        return os.cpu_count() or 1

    def totalMemory(self) -> Long:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")

    maxMemory = totalMemory

    def freeMemory(self) -> Long:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")

    def gc(self) -> None:
        pass


class ProcessBuilder(Thing):
    """How a program is started."""

    def __init__(self, *words: Any) -> None:
        is_list = len(words) == 1 and isinstance(words[0], (Array, ListClass))
        self._words = list(words[0]) if is_list else list(words)
        self._folder: Any = None
        self._environment: MapClass | None = None

    def command(self, *words: Any) -> ProcessBuilder:
        self._words = ProcessBuilder(*words)._words
        return self

    def directory(self, folder: File) -> ProcessBuilder:
        self._folder = folder
        return self

    def environment(self) -> MapClass:
        if self._environment is None:
            self._environment = MapClass()
            self._environment.items = dict(os.environ)
        return self._environment

    def start(self) -> Process:
        return Process(
            self._words, self._folder, None if self._environment is None else self._environment.items
        )

    def toString(self) -> str:
        return shlex.join(self._words)

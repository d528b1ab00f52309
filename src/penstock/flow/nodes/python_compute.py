"""PythonCompute: your own function or class processes the message, like a JavaCompute.

A function takes a `Call` and returns True (or None) to send it to `out`, False to send nothing, or the name
of a terminal. A class is instantiated once for every running instance and its `evaluate` is called. Input
trees are not changed: `call.message` is a copy that is made at its first use.
"""

from __future__ import annotations

import os
import traceback
from typing import TYPE_CHECKING, Any

from penstock.flow.kinds import Kind
from penstock.flow.node import FAILURE, OUT, Node
from penstock.flow.stand_ins import JAVA
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Process
    from penstock.tree import Message

ALTERNATE = "alternate"
_KINDS = {kind.name.lower(): kind for kind in Kind}


class Call:
    """One message at a PythonCompute: trees to read and change, and terminals to send to."""

    def __init__(self, assembly: Assembly, at: NodeContext) -> None:
        self.assembly = assembly
        self.at = at
        self._message: Message | None = None
        self._local_environment: Message | None = None

    @property
    def message(self) -> Message:
        """The output message: a copy of the input, which you may change."""
        if self._message is None:
            self._message = self.assembly.message.copy()
        return self._message

    @message.setter
    def message(self, made: Message) -> None:
        self._message = made

    @property
    def local_environment(self) -> Message:
        """The output LocalEnvironment: a copy."""
        if self._local_environment is None:
            self._local_environment = self.assembly.copied_local_environment()
        return self._local_environment

    @property
    def environment(self) -> Message:
        """The tree that all nodes share."""
        return self.assembly.environment

    @property
    def exception_list(self) -> Message:
        """The failure, on a catch or failure wire. Do not change it."""
        return self.assembly.exception_list

    @property
    def properties(self) -> dict[str, Any]:
        """The user-defined properties of the flow."""
        return self.at.instance.flow.flow.properties

    def send(self, terminal: str = OUT) -> None:
        """Send the message to a terminal now; later changes affect another message."""
        sent = self.assembly.sending(self._message, self._local_environment)
        if self._message is not None:
            self._message = self._message.copy()
        if self._local_environment is not None:
            self._local_environment = self._local_environment.copy()
        self.at.send(terminal, sent)


class PythonCompute(Node):
    """Calls Python: `PythonCompute("billing:add_tax")`, or the function or class itself.

    A text names a module and an object in it; the project's folder and its `flows/` are searched first.
    `kind` is what the code accesses (see `Kind`): use `kind="pure"` for code that accesses only the message.
    """

    outputs = (OUT, ALTERNATE, FAILURE)

    def __init__(
        self, function: str | Callable[..., Any], *, kind: str | Kind = Kind.EFFECT, name: str = ""
    ) -> None:
        super().__init__(name=name or _name_of(function))
        self.function = function
        self._kind_said = kind
        self.kind = _KINDS.get(kind.lower(), Kind.EFFECT) if isinstance(kind, str) else kind

    def check(self) -> Iterable[str]:
        if isinstance(self.function, str) and not all(self.function.partition(":")[::2]):
            yield f"function {self.function!r} is not of the form module:function"
        if isinstance(self._kind_said, str) and self._kind_said.lower() not in _KINDS:
            yield f"kind {self._kind_said!r} is not one of {', '.join(_KINDS)}"

    def start(self, at: NodeContext) -> Process:
        found = self.function
        if isinstance(found, str):
            found = _imported(found, at)
        evaluate: Callable[[Call], Any] = found().evaluate if isinstance(found, type) else found

        def process(assembly: Assembly) -> None:
            call = Call(assembly, at)
            answer = evaluate(call)
            if answer is not False:
                call.send(answer if isinstance(answer, str) else OUT)

        return process


def _imported(name: str, at: NodeContext) -> Callable[..., Any]:
    """Return the object that a text names; folders of the project precede Python's own path."""
    module, _, member = name.partition(":")
    of_java = at.instance.project.stand_ins.java_class(member) if module == JAVA else None
    if of_java is not None:
        return of_java
    try:
        found = getattr(at.instance.project.python.load(module), member)
    except Exception as raised:  # the edge between a project's code and ours
        what = _told(raised, at.instance.project.folder)
        raise error(mq.PSRC_FLOW_PROJECT, f"node {at.label}: cannot import {name}: {what}") from raised
    made: Callable[..., Any] = found
    return made


def _told(raised: Exception, folder: Path) -> str:
    """Return what failed while a module was imported, with its place in the project."""
    inside = [
        at
        for at in traceback.extract_tb(raised.__traceback__)
        if at.filename.startswith(f"{folder.resolve()}{os.sep}")
    ]
    if isinstance(raised, SyntaxError) or not inside:
        return str(raised) if isinstance(raised, (ImportError, AttributeError, SyntaxError)) else repr(raised)
    return f"{inside[-1].filename}, line {inside[-1].lineno}: {type(raised).__name__}: {raised}"


def _name_of(function: str | Callable[..., Any]) -> str:
    if isinstance(function, str):
        return function.rpartition(":")[2]
    return getattr(function, "__name__", "PythonCompute")

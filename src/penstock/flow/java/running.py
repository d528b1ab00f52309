"""The edge between flows and Java: JavaCompute classes, and static methods for ESQL and maps.

What Java throws becomes the failure of the message: a MbUserException is a UserException, an exception that
was made of an error of ours is that error again.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from penstock.esql.runtime.errors import CATALOG, USER_STATE
from penstock.flow.java.classes import JavaClass, JavaMethod, chosen
from penstock.flow.java.library.broker import MbJavaComputeNode, MbMessage, MbMessageAssembly
from penstock.flow.java.library.elements import MbElement, as_field, as_java
from penstock.flow.java.library.site import here, instance
from penstock.flow.java.problem import JavaProblem
from penstock.flow.java.throwables import THROWABLES, Throwable
from penstock.flow.java.values import Array
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree import Reference

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.flow.graph.instance import Instance
    from penstock.flow.nodes.python_compute import Call
    from penstock.flow.project import Project

NUMBER = 3001
_BEGINNING = ("onInitialize", "onPreSetupValidation", "onSetup", "onStart")


def compute_class(class_: JavaClass, project: Project) -> type:
    """Return a class for a PythonCompute that runs a JavaCompute class; a JavaProblem if it cannot be run."""
    known = class_.library_base
    if known is None or known.python is not MbJavaComputeNode:
        raise JavaProblem(class_.declared.line, f"{class_.name} is no MbJavaComputeNode", class_.file)
    found = [each for each in class_.candidates("evaluate", 1) if each.types == ["MbMessageAssembly"]]
    if not found:
        raise JavaProblem(class_.declared.line, f"{class_.name} has no method evaluate", class_.file)
    for each in (found[0], *(each for name in _BEGINNING for each in class_.candidates(name, 0))):
        each.prepare()
    for each in class_.constructors:
        each.prepare()
    for is_static in (True, False):
        class_.sources.initialiser(class_, is_static=is_static)

    class Compute:
        """Makes an object of the Java class for a running instance of the flow, at its first message."""

        def __init__(self) -> None:
            self.made: Any = None

        def evaluate(self, call: Call) -> bool:
            with failing(class_.name, project), inside(call.at.instance):
                if self.made is None:
                    made = class_.new(())
                    made._at = call.at
                    for name in _BEGINNING:
                        for method in class_.candidates(name, 0)[:1]:
                            method.call(made, ())
                    self.made = made
                found[0].call(self.made, (MbMessageAssembly._of(call.assembly),))
            return False  # it has sent what it wanted to

    return Compute


def static_function(methods: list[JavaMethod], project: Project) -> Callable[..., Any]:
    """Return the function that ESQL or a map calls for a static method of Java.

    A parameter that is an array, other than bytes, is OUT or INOUT: its item is a further result.
    """

    def call(*given: Any) -> Any:
        with failing(methods[0].owner.name, project):
            values, outs, method = _arguments(methods, given)
            methods[0].owner.begin()
            answer = as_esql(method.call(None, values))
        if not outs:
            return answer
        results = [as_esql(each[0]) for each in outs]
        return tuple(results) if method.declared.result == "void" else (answer, *results)

    return call


def _arguments(
    methods: list[JavaMethod], given: tuple[Any, ...]
) -> tuple[list[Any], list[Array], JavaMethod]:
    """Return what Java gets, the arrays for results among it, and the method that takes it."""
    for method in methods:
        arrays = [_is_out(each) for each in method.types]
        are_out = len(given) == len(arrays) - sum(arrays)
        if not are_out and len(given) != len(arrays):
            continue
        waiting = iter(given)
        values: list[Any] = []
        for type_, is_array in zip(method.types, arrays, strict=True):
            value = None if is_array and are_out else as_java_value(next(waiting))
            values.append(Array(type_[:-2], [value]) if is_array else value)
        if len(methods) == 1 or chosen(methods, tuple(values)) is method:
            return values, [each for each, out in zip(values, arrays, strict=True) if out], method
    what = f"{methods[0].owner.name}.{methods[0].declared.name} with {len(given)} arguments does not fit"
    raise error(mq.PSRC_ESQL_ROUTINE, what)


def _is_out(type_: str) -> bool:
    return type_.endswith("[]") and type_ != "byte[]"


def as_java_value(value: Any) -> Any:
    """Return a value of ESQL as Java gets it."""
    if isinstance(value, Reference):
        return MbElement(value, MbMessage._of(value.message, is_read_only=False))
    return as_java(value)


def as_esql(value: Any) -> Any:
    """Return a value of Java as ESQL gets it."""
    return value.at if isinstance(value, MbElement) else as_field(value)


@contextmanager
def inside(around: Instance) -> Iterator[None]:
    """Let Java reach the databases and the cache of a running flow."""
    before = instance.set(around)
    try:
        yield
    finally:
        instance.reset(before)


@contextmanager
def failing(name: str, project: Project) -> Iterator[None]:
    """Turn what Java throws into an error of ours."""
    before = here.set(project)
    try:
        yield
    except Throwable as raised:
        if raised.problem is not None:
            raise raised.problem from raised
        if isinstance(raised, THROWABLES["MbUserException"]):
            inserts = (raised.message, *getattr(raised, "inserts", ()))
            raise error(
                mq.PSRC_FLOW_THROWN,
                raised.message or "",
                sqlstate=USER_STATE,
                number=NUMBER,
                catalog=CATALOG,
                severity=1,
                inserts=inserts,
            ) from raised
        where = f"{raised.file}, line {raised.line}" if raised.line else name
        raise error(mq.PSRC_FLOW_NODE, f"{raised.toString()} ({where})") from raised
    finally:
        here.reset(before)

"""The classes of the toolkit's unit tests: NodeSpy, TestMessageAssembly, matchers and assertions.

They work on the bench of the test that runs (`flow/testing/test_projects.py`); outside of one they raise.
"""

from __future__ import annotations

import re
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from penstock.esql.recordings import recording_in
from penstock.esql.testing import differences
from penstock.flow.java.library.elements import as_field, as_java
from penstock.flow.java.library.streams import ByteArrayInputStream
from penstock.flow.java.library.thing import ByteArray, Thing
from penstock.flow.java.throwables import thrown
from penstock.flow.java.values import Array, as_bytes, bytes_array, text
from penstock.tree import Message, Path, parse

if TYPE_CHECKING:
    from penstock.flow.assembly import Assembly
    from penstock.flow.testing.test_projects import Bench
    from penstock.tree import Reference

IBM = ("com.ibm.integration.test.v1",)
bench: ContextVar[Bench | None] = ContextVar("bench", default=None)
_TIMES = re.compile(r": datetime\..* instead of datetime\.")


def _bench() -> Bench:
    found = bench.get()
    if found is None:
        raise thrown("TestException", "this runs in unit tests only")
    return found


class TestSetup(Thing):
    """Nothing is left between tests: each has its own instance of a node."""

    packages = IBM
    abstract = True

    @staticmethod
    def restoreAllMocks() -> None:
        pass


class SpyObjectReference(Thing):
    """The way to a node: application, flow, subflows, node."""

    packages = IBM

    def __init__(self) -> None:
        self.flow = ""
        self.labels: list[str] = []

    def application(self, _: str) -> SpyObjectReference:
        return self

    def restAPI(self, _: str) -> SpyObjectReference:
        return self

    def messageFlow(self, name: str) -> SpyObjectReference:
        self.flow = name
        return self

    def subflowNode(self, name: str) -> SpyObjectReference:
        self.labels.append(name)
        return self

    def node(self, name: str) -> SpyObjectReference:
        self.labels.append(name)
        return self


class TestMessageAssembly(Thing):
    """The trees that a test gives to a node, or gets from it."""

    packages = IBM

    def __init__(self) -> None:
        self.message, self.local_environment, self.environment = Message(), Message(), Message()

    @staticmethod
    def _of(assembly: Assembly) -> TestMessageAssembly:
        made = TestMessageAssembly()
        made.message, made.environment = assembly.message.copy(), assembly.environment.copy()
        made.local_environment = assembly.local_environment.copy()
        return made

    def buildFromRecordedMessageAssembly(self, stream: ByteArrayInputStream) -> TestMessageAssembly:
        recorded = recording_in(stream.data.read(), "the recorded message")
        self.message, self.environment = recorded.message, recorded.environment
        self.local_environment = recorded.local_environment
        return self

    def buildJSONMessage(self, value: Any) -> TestMessageAssembly:
        self.message = parse(_bytes_of(value), "JSON")
        return self

    def buildXMLMessage(self, value: Any) -> TestMessageAssembly:
        self.message = parse(_bytes_of(value), "XMLNSC")
        return self

    def messagePath(self, path: str) -> TestElement:
        return TestElement(self.message, path)

    def localEnvironmentPath(self, path: str) -> TestElement:
        return TestElement(self.local_environment, path)

    def environmentPath(self, path: str) -> TestElement:
        return TestElement(self.environment, path)

    def getMessageBodyAsString(self) -> str:
        return _body(self.message).decode("utf-8", "replace")

    def getJSONMessageBodyAsString(self) -> str:
        return _body(self.message).decode("utf-8", "replace")

    def getMessageBodyAsByteArray(self) -> ByteArray:
        return bytes_array(_body(self.message))


def _bytes_of(value: Any) -> bytes:
    if isinstance(value, ByteArrayInputStream):
        return value.data.read()
    return as_bytes(value) if isinstance(value, Array) else text(value).encode()


def _body(message: Message) -> bytes:
    *_, body = [*message] or [None]
    if body is None:
        return b""
    made = Message()
    made.body_as(body.name).assign(body)
    return made.serialise()


class TestElement(Thing):
    """A field by its path: `JSON.Data.total`."""

    packages = IBM
    abstract = True

    def __init__(self, tree: Message, path: str) -> None:
        self._tree = tree
        self._path = Path(*(_step(each) for each in path.replace("/", ".").strip(".").split(".")))

    def _field(self) -> Reference:
        found = self._tree.reference(self._path)
        if found is None:
            raise thrown("TestException", "the message has no such field")
        return found

    def exists(self) -> bool:
        return self._tree.reference(self._path) is not None

    def getValue(self) -> Any:
        return as_java(self._field().value)

    def getStringValue(self) -> str | None:
        return self.getValueAsString()

    def getValueAsString(self) -> str | None:
        value = self._field().value
        return None if value is None else text(value)

    def setValue(self, value: Any) -> None:
        self._tree.set(self._path, as_field(value))


def _step(word: str) -> Any:
    found = re.fullmatch(r"(.+)\[(\d+)\]", word)
    return word if found is None else (found[1], int(found[2]))


class NodeSpy(Thing):
    """A node that runs alone: what it sends is kept, by terminal."""

    packages = IBM

    def __init__(self, reference: SpyObjectReference) -> None:
        self._reference = reference
        self.calls = 0
        self.sent: dict[str, list[TestMessageAssembly]] = {}

    def evaluate(self, given: TestMessageAssembly, _: bool, terminal: str) -> None:
        self.calls += 1
        labels = ".".join(self._reference.labels)
        sent = _bench().run_node(
            self._reference.flow,
            labels,
            terminal,
            (given.message, given.local_environment, given.environment),
        )
        for name, assembly in sent:
            self.sent.setdefault(name, []).append(TestMessageAssembly._of(assembly))

    def propagatedMessageAssembly(self, terminal: str, number: int) -> TestMessageAssembly:
        found = self.sent.get(terminal, [])
        if not 1 <= number <= len(found):
            raise thrown("TestException", f"{len(found)} messages left {terminal}, not {number}")
        return found[number - 1]


class Expectation(Thing):
    """Something that is asserted; `problem` says what is wrong with a value."""

    packages = ("org.hamcrest",)
    abstract = True

    def _problem(self, actual: Any) -> str:
        """Return why a value does not match; empty if it does."""
        raise NotImplementedError


class CountMatcher(Expectation):
    """How often a node was called, or sent to a terminal."""

    abstract = True

    def __init__(self, terminal: str, count: int) -> None:
        self._terminal = terminal
        self._count = count

    def _problem(self, actual: NodeSpy) -> str:
        found = len(actual.sent.get(self._terminal, [])) if self._terminal else actual.calls
        what = f"messages to {self._terminal}" if self._terminal else "calls of the node"
        return "" if found == self._count else f"{what}: {found} instead of {self._count}"


class EqualsMatcher(Expectation):
    """Equal values."""

    abstract = True

    def __init__(self, expected: Any) -> None:
        self._expected = expected

    def _problem(self, actual: Any) -> str:
        return "" if actual == self._expected else f"{text(actual)} instead of {text(self._expected)}"


class MessageMatcher(Expectation):
    """Equal message trees, but for what is ignored."""

    abstract = True

    def __init__(self, expected: TestMessageAssembly) -> None:
        self._expected = expected
        self._paths: list[str] = []
        self._ignores_times = False

    def ignorePath(self, path: str, _: bool = False) -> MessageMatcher:
        self._paths.append(path.strip("/").replace("/", ".").removeprefix("Message."))
        return self

    def ignoreTimeStamps(self) -> MessageMatcher:
        self._ignores_times = True
        return self

    def ignoreDateTime(self) -> MessageMatcher:
        self._ignores_times = True
        return self

    def _problem(self, actual: TestMessageAssembly) -> str:
        one, other = actual.message.copy(), self._expected.message.copy()
        for path in self._paths:
            for tree in (one, other):
                tree.delete(Path(*path.split(".")))
        found = differences(one, other)
        if self._ignores_times:
            found = [each for each in found if not _TIMES.search(each)]
        return "; ".join(found)


class Matchers(Thing):
    """Functions that make matchers."""

    packages = (*IBM, "org.hamcrest")
    names = ("Matchers", "CoreMatchers")
    abstract = True

    @staticmethod
    def nodeCallCountIs(count: int) -> CountMatcher:
        return CountMatcher("", count)

    @staticmethod
    def terminalPropagateCountIs(terminal: str, count: int) -> CountMatcher:
        return CountMatcher(terminal, count)

    @staticmethod
    def equalsMessage(expected: TestMessageAssembly) -> MessageMatcher:
        return MessageMatcher(expected)

    @staticmethod
    def equalTo(expected: Any) -> EqualsMatcher:
        return EqualsMatcher(expected)


# Java's name of it is a keyword here.
setattr(Matchers, "is", staticmethod(Matchers.equalTo))


class MatcherAssert(Thing):
    """assertThat."""

    packages = ("org.hamcrest",)
    abstract = True

    @staticmethod
    def assertThat(first: Any, second: Any, *third: Any) -> None:
        actual, matcher = (second, third[0]) if third else (first, second)
        problem = matcher._problem(actual)
        if problem:
            raise thrown("AssertionError", problem)


class Assertions(Thing):
    """Assertions of JUnit."""

    packages = ("org.junit.jupiter.api", "org.junit")
    names = ("Assertions", "Assert")
    abstract = True

    @staticmethod
    def assertEquals(expected: Any, actual: Any, *_: Any) -> None:
        if expected != actual:
            raise thrown("AssertionError", f"{text(actual)} instead of {text(expected)}")

    @staticmethod
    def assertTrue(value: bool, *_: Any) -> None:
        if not value:
            raise thrown("AssertionError", "false instead of true")

    @staticmethod
    def assertFalse(value: bool, *_: Any) -> None:
        if value:
            raise thrown("AssertionError", "true instead of false")

    @staticmethod
    def assertNull(value: Any, *_: Any) -> None:
        if value is not None:
            raise thrown("AssertionError", f"{text(value)} instead of null")

    @staticmethod
    def assertNotNull(value: Any, *_: Any) -> None:
        if value is None:
            raise thrown("AssertionError", "null")

    @staticmethod
    def fail(why: str = "") -> None:
        raise thrown("AssertionError", why)


class ClassLoader(Thing):
    """Finds the resources of a test project."""

    abstract = True

    def getResourceAsStream(self, name: str) -> ByteArrayInputStream | None:
        data = _bench().resource(name)
        return None if data is None else ByteArrayInputStream(bytes_array(data))

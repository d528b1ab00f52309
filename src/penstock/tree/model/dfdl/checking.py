"""Checks while a message is parsed: tests before and after a part, and variables.

A scanner calls `enter` before and `leave` after each part that has `Checks`. A failed test is an error of the
data (8101) with its offset, so that a choice tries its next branch and an optional occurrence counts as
absent; a discriminator that is true ends such trials. Variables, and what was seen of the fields of the
message, are mappings that are never changed in place: going back means using the old mappings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.tree.core.parse_error import parse_error
from penstock.tree.model.dfdl.expression_functions import Failure

if TYPE_CHECKING:
    import re

    from penstock.tree.model._scanned_element import ScannedElement
    from penstock.tree.model.dfdl.expression import Expression

WINDOW_BYTES = 4_096  # how much a pattern of a test can see
STEPS_MAX = 200_000_000  # of all tests of one message: an element passed, or 16 bytes looked at
BYTES_A_STEP = 16
COUNT_MAX = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Instance:
    """A variable's instance: its value, or the expression that gives it; the outer instance."""

    value: Any = None
    default: Expression | None = None
    is_known: bool = False
    is_set: bool = False
    is_read: bool = False
    outer: Instance | None = None


Variables = Mapping[str, Instance]
Seen = Mapping[tuple[int, int], tuple[int, int]]  # field, name: the last child looked at, the one so named
Outer = tuple[bool, Variables, Seen]
Step = Callable[["Checking", "ScannedElement", bytes, int], None]


@dataclass(frozen=True, slots=True)
class Checks:
    """The steps before a part and those after it."""

    enter: tuple[Step, ...] = ()
    leave: tuple[Step, ...] = ()

    def around(self, inner: Checks | None) -> Checks:
        """Return these and those of the part directly inside, as one."""
        return self if inner is None else Checks(self.enter + inner.enter, inner.leave + self.leave)


class Checking:
    """The checks of one message; scanners call it."""

    def __init__(self, variables: Variables, codec: str, is_text: bool) -> None:
        self.variables = variables
        self.codec, self.is_text = codec, is_text
        self.decided = False
        self.problem: MQError | None = None
        self.steps = 0
        self.seen: Seen = {}  # for `ScannedElement`: a test in each record must not pass all records again

    def spend(self, steps: int) -> None:
        """Count the work of this message's tests; 8113 if it is too much."""
        self.steps += steps
        if self.steps > STEPS_MAX:
            raise error(
                mq.PSRC_TREE_SIZE,
                f"the tests of this message look at more than {STEPS_MAX} fields: "
                "let them look at fields near by, or keep a far one in a variable",
            )

    def enter(self, checks: Checks, place: ScannedElement, data: bytes, offset: int) -> None:
        """Run the steps before a part that begins at an offset; the place is the parent field."""
        place.checking = self
        for step in checks.enter:
            step(self, place, data, offset)

    def leave(self, checks: Checks, place: ScannedElement | None, data: bytes, offset: int) -> None:
        """Run the steps after a part; the place of an absent field is None."""
        if place is not None:
            place.checking = self
            for step in checks.leave:
                step(self, place, data, offset)

    def begin(self) -> Outer:
        """Begin a trial: a branch of a choice, or an optional occurrence."""
        outer = (self.decided, self.variables, self.seen)
        self.decided = False
        return outer

    def may_return(self, failure: MQError, outer: Outer) -> bool:
        """Return whether a failed trial may be undone, and undo its variables and what it saw."""
        if failure.reason != mq.PSRC_PARSE_ERROR or self.decided:
            return False
        _, self.variables, self.seen = outer
        self.problem = failure
        return True

    def end(self, outer: Outer) -> None:
        """End a trial: its decisions do not affect the enclosing one."""
        self.decided = outer[0]

    def untaken(self) -> str:
        """Return why the last undone trial failed."""
        return f"; the last try failed: {self.problem.detail.splitlines()[0]}" if self.problem else ""

    def fail(self, what: str, data: bytes, offset: int) -> MQError:
        """Return the error for an offset in the data."""
        if self.is_text:
            return parse_error(mq.PSRC_PARSE_ERROR, what, data, offset)
        return error(mq.PSRC_PARSE_ERROR, f"offset {offset}: {what}", offset=offset)

    def value(self, expression: Expression, place: ScannedElement) -> Any:
        """Return the value of an expression; a field that cannot be decoded is a failure too."""
        try:
            return expression.evaluate(place, self)
        except MQError as problem:
            if problem.reason == mq.PSRC_TREE_SIZE:
                raise
            raise Failure(problem.detail) from problem

    def occurrences(self, expression: Expression, place: ScannedElement, data: bytes, offset: int) -> int:
        """Return how often a part occurs; the place is the field that holds it."""
        place.checking = self
        try:
            value = self.value(expression, place)
        except Failure as problem:
            raise self.fail(f"occursCount {expression.text}: {problem}", data, offset) from problem
        if not isinstance(value, (int, float, Decimal)) or value != int(value) or not 0 <= value <= COUNT_MAX:
            raise self.fail(f"occursCount {expression.text}: {value!r} is no count", data, offset)
        return int(value)

    def read(self, name: str, place: ScannedElement) -> Any:
        """Return a variable's value."""
        found = self.variables[name]
        value = found.value
        if not found.is_known:
            if found.default is None:
                raise Failure(f"the variable {_local(name)} has no value yet")
            value = self.value(found.default, place)
        if not (found.is_known and found.is_read):
            read = replace(found, value=value, is_known=True, is_read=True)
            self.variables = {**self.variables, name: read}
        return value

    def set(self, name: str, value: Any) -> None:
        """Set a variable: once, and before it is read."""
        found = self.variables[name]
        if found.is_set or found.is_read:
            what = "set" if found.is_set else "read"
            raise Failure(f"the variable {_local(name)} has been {what} already, so it cannot be set")
        self.variables = {**self.variables, name: replace(found, value=value, is_known=True, is_set=True)}


@dataclass(frozen=True, slots=True)
class Test:
    """An assert or a discriminator: an expression after a part, or a pattern before it."""

    kind: str
    where: str
    message: str | Expression = ""
    expression: Expression | None = None
    pattern: re.Pattern[str] | None = None

    def __call__(self, checking: Checking, place: ScannedElement, data: bytes, offset: int) -> None:
        """Raise 8101 if it is false."""
        why = ""
        try:
            holds = self._holds(checking, place, data, offset)
        except Failure as problem:
            holds, why = False, f" ({problem})"
        except MQError as problem:
            if problem.reason == mq.PSRC_TREE_SIZE:
                raise
            holds, why = False, f" ({problem.detail})"
        if not holds:
            raise checking.fail(
                f"{self.kind} of {self.where}: {self._said(checking, place)}{why}", data, offset
            )
        if self.kind == "discriminator":
            checking.decided = True

    def _holds(self, checking: Checking, place: ScannedElement, data: bytes, offset: int) -> bool:
        if self.expression is not None:
            return self.expression.holds(place, checking)
        assert self.pattern is not None
        window = data[offset : offset + WINDOW_BYTES]
        checking.spend(len(window) // BYTES_A_STEP)
        text = window.decode(checking.codec, "replace")
        found = self.pattern.match(text)
        return found is not None and found.end() > 0

    def _said(self, checking: Checking, place: ScannedElement) -> str:
        if isinstance(self.message, str):
            shown = (
                self.expression.text if self.expression is not None else self.pattern and self.pattern.pattern
            )
            return self.message or f"{shown} does not hold"
        try:
            return str(checking.value(self.message, place))
        except Failure as problem:
            return f"{self.message.text} ({problem})"


@dataclass(frozen=True, slots=True)
class SetVariable:
    """Sets a variable to the value of an expression."""

    name: str
    expression: Expression
    where: str
    differs: Callable[[str, Any], str]  # says how a value differs from what the model was made for

    def __call__(self, checking: Checking, place: ScannedElement, data: bytes, offset: int) -> None:
        """Raise 8101 if there is no value, or it is invalid for the variable."""
        try:
            value = checking.value(self.expression, place)
            checking.set(self.name, value)
        except Failure as problem:
            raise checking.fail(f"setVariable of {self.where}: {problem}", data, offset) from problem
        wrong = self.differs(self.name, value)
        if wrong:
            raise checking.fail(f"setVariable of {self.where}: {wrong}", data, offset)


@dataclass(frozen=True, slots=True)
class NewInstance:
    """Starts an instance of a variable that lasts until its part ends."""

    name: str
    default: Expression | None

    def __call__(self, checking: Checking, place: ScannedElement, data: bytes, offset: int) -> None:
        """Push the instance."""
        instance = Instance(default=self.default, outer=checking.variables[self.name])
        checking.variables = {**checking.variables, self.name: instance}


@dataclass(frozen=True, slots=True)
class EndInstance:
    """Ends an instance."""

    name: str

    def __call__(self, checking: Checking, place: ScannedElement, data: bytes, offset: int) -> None:
        """Pop the instance."""
        outer = checking.variables[self.name].outer
        assert outer is not None
        checking.variables = {**checking.variables, self.name: outer}


def _local(name: str) -> str:
    return name.rpartition("}")[2]

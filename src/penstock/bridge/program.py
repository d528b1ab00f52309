"""A program: a function with its options, and how it is called with a body of its type."""

from __future__ import annotations

import inspect
import time
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

from penstock.bridge.bodies import decoded, encoded
from penstock.bridge.context import Context
from penstock.bridge.settings import OPTIONS
from penstock.model import constants as mq
from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from collections.abc import Callable

F = TypeVar("F", bound="Callable[..., Any]")
MARK = "penstock_program"


def program(**options: Any) -> Callable[[F], F]:
    """Declare a function as a program: `@program(retries=3, commit_mode=1)`; options are those of `Settings`.

    The annotation of the first parameter is the type of the body; a parameter of type `Context` gets the
    context. What the function returns is the reply; None sends none.
    """
    unknown = set(options) - OPTIONS
    if unknown:
        known = ", ".join(sorted(OPTIONS))
        raise TypeError(f"{', '.join(sorted(unknown))}: the options of a program are {known}")

    def declared(function: F) -> F:
        setattr(function, MARK, options)
        return function

    return declared


class Program:
    """A function ready to be called."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.options: dict[str, Any] = dict(getattr(function, MARK, {}))
        self.function = function
        self.name = getattr(function, "__qualname__", repr(function))
        try:
            hints = get_type_hints(function)
            names = list(inspect.signature(function).parameters)
        except (NameError, TypeError, ValueError) as raised:
            raise error(mq.PSRC_BRIDGE_PROGRAM, f"{self.name} cannot be called: {raised}") from raised
        self._contexts = [name for name in names if hints.get(name) is Context]
        bodies = [name for name in names if name not in self._contexts]
        if len(bodies) != 1:
            what = f"{self.name} needs one parameter for the body, beside those of type Context"
            raise error(mq.PSRC_BRIDGE_PROGRAM, what)
        self._body = bodies[0]
        self._kind = hints.get(self._body, bytes)

    def call(self, body: bytes, context: Context, retries: int, delay: float) -> bytes | None:
        """Call the function, again if it fails; return the reply. A body of the wrong type is not retried."""
        given = {self._body: decoded(body, self._kind), **dict.fromkeys(self._contexts, context)}
        for attempt in range(retries + 1):
            try:
                return encoded(self.function(**given))
            except Exception:
                if attempt == retries:
                    raise
                time.sleep(delay)
        raise AssertionError("the last attempt returns or raises")


def as_failure(raised: Exception) -> MQError:
    """Return what a program raised as an error of ours."""
    if isinstance(raised, MQError):
        return raised
    return error(mq.PSRC_BRIDGE_PROGRAM, f"{type(raised).__name__}: {raised}")

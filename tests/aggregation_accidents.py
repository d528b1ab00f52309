"""A connection on which accidents happen: before or after the n-th call that changes something.

`Accident` stands between a flow and its queue manager. When its number comes up it calls `strike`: a test
raises there, takes a copy of the folder as a power cut would leave it, or kills its own process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

CHANGES = ("get", "get_many", "put", "put_messages", "begin", "commit", "backout")


class Accident:
    """A connection with an accident at call number `at`; 0 for none. `commits` counts what was done."""

    def __init__(self, qm: Any, at: int, strike: Callable[[], None], *, afterwards: bool = False) -> None:
        self.qm = qm
        self.at = at
        self.strike = strike
        self.afterwards = afterwards
        self.calls = 0
        self.commits = 0

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.qm, name)
        return self._around(name, found) if name in CHANGES else found

    def _around(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def called(*arguments: Any, **named: Any) -> Any:
            self.calls += 1
            struck = self.calls == self.at
            if struck and not self.afterwards:
                self.strike()
            result = call(*arguments, **named)
            self.commits += name == "commit"
            if struck and self.afterwards:
                self.strike()
            return result

        return called

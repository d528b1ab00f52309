"""Objects that close themselves at the end of a `with`: open objects and subscriptions.

Compiled, because its heirs are: `closing.pxd`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self


class Closing:
    """Closed at the end of a `with`, unless it is closed already or its connection is gone."""

    close: Any

    def is_usable(self) -> bool:
        """Return whether it can still be closed."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.is_usable():
            self.close()

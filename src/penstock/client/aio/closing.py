"""Objects that close themselves at the end of an `async with`: open objects and subscriptions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self


class AsyncClosing:
    """Closed at the end of an `async with`, unless it is closed already or its connection is gone."""

    close: Any

    def is_usable(self) -> bool:
        """Return whether it can still be closed."""
        raise NotImplementedError

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.is_usable():
            await self.close()

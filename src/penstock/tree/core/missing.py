"""MISSING: the result of `get` for a missing field, as None is for NULL."""

from __future__ import annotations

from typing import Final, final


@final
class Missing:
    """The type of MISSING; there is one value. It is false."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "MISSING"

    def __bool__(self) -> bool:
        return False

    def __reduce__(self) -> str:
        return "MISSING"


MISSING: Final = Missing()

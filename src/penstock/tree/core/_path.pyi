from dataclasses import dataclass
from types import EllipsisType
from typing import Any, TypeAlias

Index: TypeAlias = int | EllipsisType

@dataclass(frozen=True, slots=True)
class Step:
    name: str | None
    namespace: str | None = ""
    index: Any = None
    attribute: bool = False
    type: int | None = None

class Path:
    @property
    def steps(self) -> tuple[Step, ...]: ...
    @property
    def count(self) -> int: ...
    @property
    def open_count(self) -> int: ...
    def __init__(self, *steps: str | tuple[str, Index] | Step) -> None: ...
    def __len__(self) -> int: ...
    def __truediv__(self, step: str | tuple[str, Index] | Step | Path) -> Path: ...

from typing import Any

from penstock.tree.model._codec import Codec

SEQUENCE: int
CHOICE: int
ALL: int

class Part:
    name: str
    codec: Codec | None
    parts: tuple[Any, ...]
    compose: int
    least: int
    most: int
    named: bool
    has_default: bool
    default: object
    checks: Any
    uncertain: bool
    around: Part | None
    loose: int
    alternative: int
    spare: bool
    def __init__(self, name: str, namespace: str = "") -> None: ...

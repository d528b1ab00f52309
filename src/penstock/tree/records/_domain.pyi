from collections.abc import Callable
from typing import Any

from penstock.tree.core._arena import Domain
from penstock.tree.model._part import Part

FIXED: int
PREFIXED: int
TERMINATED: int
REFERRED: int
TO_END: int
COMPUTED: int

class CwfPart(Part):
    length_kind: int
    length: int
    prefix: int
    little: bool
    zero: int
    bits: int
    bit_at: int
    whole: int
    counted: object
    unit: int
    align: int
    lead: int
    trail: int
    fill: int
    repeat_kind: int
    count: int
    slot: int
    length_slot: int
    count_slot: int
    when_slot: int
    when: frozenset[Any] | None

class CwfPlan:
    def __init__(self, root: CwfPart, slots: int, checker: Callable[[], object] | None = None) -> None: ...

class CwfDomain(Domain):
    def __init__(self, name: str, *, ccsid: int = 0, encoding: int = 0, namespaces: bool = False) -> None: ...
    def plan(self, ccsid: int, encoding: int) -> CwfPlan: ...

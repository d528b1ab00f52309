from collections.abc import Iterator
from datetime import date, time, timedelta
from decimal import Decimal
from typing import Any, TypeAlias, overload

from penstock.tree.core._arena import Arena, Domain
from penstock.tree.core._limits import Limits
from penstock.tree.core._path import Path
from penstock.tree.core._reference import Reference

Value: TypeAlias = str | int | float | bool | bytes | Decimal | date | time | timedelta | None
Indexes: TypeAlias = int | tuple[int, ...] | None

def parse(
    data: bytes | bytearray | memoryview,
    domain: str,
    model: object = None,
    *,
    message: str | None = None,
    format: str | None = None,
    ccsid: int | None = None,
    encoding: int | None = None,
    mixed: bool = False,
    comments: bool = False,
    instructions: bool = False,
    doctype: bool = False,
    timing: str = "onDemand",
    limits: Limits | None = ...,
) -> Message: ...
def queued_message(
    data: bytes,
    form: Domain,
    ccsid: int,
    encoding: int,
    properties: Domain,
    about: object,
    descriptor: Domain,
    source: object,
) -> Message: ...

class Message(Arena):
    def __init__(self, *, limits: Limits | None = None) -> None: ...
    def get(self, path: Path) -> Any: ...
    def get_at(self, path: Path, indexes: int | tuple[int, ...]) -> Any: ...
    def set(self, path: Path, value: Value) -> None: ...
    def set_at(self, path: Path, indexes: int | tuple[int, ...], value: Value) -> None: ...
    def get_integer(self, path: Path) -> Any: ...
    def get_float(self, path: Path) -> Any: ...
    def set_value(self, path: Path, value: Value, indexes: Indexes = None) -> None: ...
    def delete(self, path: Path, indexes: Indexes = None) -> bool: ...
    def exists(self, path: Path, indexes: Indexes = None) -> bool: ...
    def cardinality(self, path: Path, indexes: Indexes = None) -> int: ...
    def assign(
        self,
        path: Path,
        source: Message,
        origin: Path,
        indexes: Indexes = None,
        origin_indexes: Indexes = None,
    ) -> bool: ...
    @overload
    def reference(self, path: None = None) -> Reference: ...
    @overload
    def reference(self, path: Path, indexes: Indexes = None) -> Reference | None: ...
    def create(self, path: Path, indexes: Indexes = None) -> Reference: ...
    def add_folder(self, domain: Domain, payload: object = None) -> Reference: ...
    def add_body(
        self,
        data: bytes | bytearray | memoryview,
        domain: str,
        model: object = None,
        *,
        message: str | None = None,
        format: str | None = None,
        ccsid: int | None = None,
        encoding: int | None = None,
        mixed: bool = False,
        comments: bool = False,
        instructions: bool = False,
        doctype: bool = False,
    ) -> Reference: ...
    def body_as(
        self,
        domain: str,
        model: object = None,
        *,
        message: str | None = None,
        format: str | None = None,
        ccsid: int | None = None,
        encoding: int | None = None,
    ) -> Reference: ...
    def copy(self) -> Message: ...
    @property
    def body(self) -> Reference | None: ...
    @property
    def accepts_doctype(self) -> bool: ...
    @property
    def domain(self) -> str: ...
    @property
    def ccsid(self) -> int: ...
    @property
    def encoding(self) -> int: ...
    @property
    def is_parsed(self) -> bool: ...
    def serialise(self, *, ccsid: int | None = None, encoding: int | None = None) -> bytes: ...
    def folder_bytes(
        self, folder: Reference, ccsid: int | None = None, encoding: int | None = None
    ) -> bytes: ...
    def payload_beside_body(self, wanted: Domain) -> Any: ...
    def body_form(self) -> Domain | None: ...
    def body_as_it_came(self, ccsid: int, encoding: int) -> bytes | None: ...
    def __iter__(self) -> Iterator[Reference]: ...

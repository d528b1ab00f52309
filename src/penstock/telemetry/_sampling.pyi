from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

from penstock.model.message import Descriptor, Message
from penstock.telemetry.context import SpanContext
from penstock.telemetry.spans import Attribute, Spans

class Span:
    def __init__(
        self,
        spans: Spans,
        name: str,
        kind: int,
        parent: SpanContext | None,
        attributes: dict[str, Attribute],
        holds_others: bool = True,
    ) -> None: ...
    trace_id: bytes
    span_id: bytes
    parent_id: bytes | None
    sampled: bool
    name: str
    kind: int
    attributes: dict[str, Attribute]
    began: int
    ended: int
    error: str
    @property
    def context(self) -> SpanContext: ...
    def carried(self, properties: Mapping[str, Any] | None) -> dict[str, Any]: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None: ...
    def end(self, error: str = "") -> None: ...

class Sampler:
    def __init__(self, ratio: float, spans: Spans) -> None: ...
    def draw(self) -> bool: ...
    def of_put(self, target: str, properties: Any) -> Span | None: ...
    def carries(self, properties: Any, descriptor: Descriptor) -> bool: ...
    def got(self, queue: str, message: Message, began_ns: int) -> None: ...

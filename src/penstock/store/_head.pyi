from collections.abc import Callable
from typing import Any

from penstock.model.message import Descriptor, Message

HEAD_BYTES: int
VERSION: int

def measure(data: bytes | memoryview) -> tuple[int, int, int]: ...

class HeadWriter:
    def __init__(
        self,
        pack_descriptor: Callable[[Descriptor], bytes],
        pack_properties: Callable[[Any], bytes],
        pack_onward: Callable[[Any], bytes],
        kept_max: int,
    ) -> None: ...
    def descriptor(self, descriptor: Descriptor) -> bytes: ...
    def encode(self, message: Message, queue_id: int = 0, unit: int = 0) -> bytes: ...

class HeadReader:
    def __init__(
        self,
        descriptors: dict[bytes, Descriptor],
        miss: Callable[[bytes], Descriptor],
        properties_of: Callable[[bytes], dict[str, Any]],
        onward_of: Callable[[bytes], Any],
    ) -> None: ...
    def read(self, data: bytes | memoryview, body: bytes | None, length: int) -> Message: ...
    def whole(self, data: bytes, at: int, end: int) -> Message: ...
    def scan(
        self,
        data: bytes | memoryview,
        base: int,
        dead: bytes | bytearray,
        amended: dict[int, int],
        found: list[tuple[Message, int, int]],
    ) -> tuple[int, int]: ...

from collections.abc import Callable
from typing import Any

from penstock.model.message import Descriptor, Message

HEAD_BYTES: int
VERSION: int

def pack(message: Message, queue_id: int, unit: int, descriptor: bytes, properties: bytes) -> bytes: ...
def measure(data: bytes | memoryview) -> tuple[int, int, int]: ...
def unpack(
    data: bytes | memoryview,
    body: bytes | None,
    length: int,
    descriptors: dict[bytes, Descriptor],
    miss: Callable[[bytes], Descriptor],
    properties_of: Callable[[bytes], dict[str, Any]],
) -> Message: ...

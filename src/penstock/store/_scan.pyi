from collections.abc import Sequence

BLOCK_MAGIC: bytes
BLOCK_HEADER_BYTES: int
ROOM_BYTES_MIN: int
BLOCK_RESTART: int
PIECE_MORE: int
PIECE_NEXT: int
RECORD_HEADER_BYTES: int

def check_block(
    data: bytes | memoryview, offset: int, position: int, journal: int
) -> tuple[int, int, int]: ...
def whole_records(
    view: memoryview, data: bytes | memoryview, offset: int, length: int, position: int, start: int
) -> list[tuple[int, int, memoryview]] | None: ...
def split_block(
    view: memoryview, data: bytes | memoryview, offset: int, length: int, position: int
) -> list[tuple[int, int, int, int, int, memoryview]] | None: ...
def pack_records(
    records: Sequence[tuple[bytes, bytes]], offset: int, holders: dict[int, int] | None = None
) -> tuple[bytes, list[int]]: ...
def record_length(data: bytes | memoryview, at: int) -> int: ...
def parse_record(data: bytes | memoryview, at: int) -> tuple[bytes, bytes | int] | None: ...
def scan_records(
    data: bytes | memoryview,
    base: int,
    dead: bytes | bytearray,
    amended: dict[int, int],
    found: list[tuple[int, bytes, memoryview | int, int]],
) -> tuple[int, int]: ...
def record_bounds(data: bytes | memoryview) -> tuple[int, int, bool]: ...

import re
from collections.abc import Callable

from penstock.tree.core._arena import Domain
from penstock.tree.model._codec import Codec
from penstock.tree.model._part import Part

TAGGED_DELIMITED: int
TAGGED_FIXED: int
TAGGED_ENCODED: int
ALL_DELIMITED: int
VARIABLE_DELIMITED: int
FIXED_LENGTH: int
DATA_PATTERN: int

class Stops:
    texts: tuple[bytes, ...]
    def __init__(self, texts: tuple[bytes, ...]) -> None: ...

class TdsPart(Part):
    lead_in: bytes
    telling: bool
    length: int
    length_slot: int
    slot: int
    repeat_delimiter: bytes
    limit: int
    namesake: int
    pattern: re.Pattern[bytes] | None
    stops: Stops
    escaped: Codec | None
    is_string: bool
    pad: bytes
    pad_left: bool
    hollow: bool
    separation: int
    indicator: bytes
    terminator: bytes
    delimiter: bytes
    encoded_digits: int
    encoded_extra: int
    keep_trailing: bool
    observe_length: bool
    escape: int
    quote: int
    reserved: bytes

class TdsPlan:
    def __init__(self, root: TdsPart, slots: int, checker: Callable[[], object] | None = None) -> None: ...

class TdsDomain(Domain):
    @property
    def root(self) -> TdsPart: ...
    def __init__(self, name: str, plan: TdsPlan, *, ccsid: int = 0, namespaces: bool = False) -> None: ...

class EscapedCodec(Codec):
    def __init__(self, inner: Codec, escape: int, quote: int) -> None: ...

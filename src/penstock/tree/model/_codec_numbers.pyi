from penstock.tree.model._codec import Codec

class IntegerCodec(Codec):
    def __init__(self, *, little: bool, has_sign: bool = True, scale: int = 0) -> None: ...

class PackedCodec(Codec):
    def __init__(self, *, scale: int = 0, has_sign: bool = True, positive: int = 0xC) -> None: ...

class ZonedCodec(Codec):
    def __init__(
        self,
        *,
        scale: int = 0,
        sign: str = "none",
        separate: bool = False,
        zero: int = 0x30,
        positive: bytes = b"0123456789",
        negative: bytes = b"pqrstuvwxy",
        plus: int = 0x2B,
        minus: int = 0x2D,
        pad: int = 0x30,
    ) -> None: ...

class FloatCodec(Codec):
    def __init__(self, *, little: bool, hexadecimal: bool = False) -> None: ...

from penstock.tree.model._codec import Codec

class StringCodec(Codec):
    def __init__(
        self, charset: str, *, pad: bytes = b" ", justify: str = "left", trim: bool = True, width: int = 1
    ) -> None: ...

class BytesCodec(Codec):
    def __init__(self, *, pad: bytes = b"\0") -> None: ...

class NumberTextCodec(Codec):
    def __init__(
        self,
        kind: str,
        *,
        point: str = ".",
        pad: str = "0",
        justify: str = "right",
        scale: int | None = None,
        characters: bool = True,
    ) -> None: ...

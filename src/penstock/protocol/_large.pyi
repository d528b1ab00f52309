from typing import Any

from penstock.protocol._frames import Frame

class LongText:
    pieces: list[str]

class Values:
    steps: int
    value: Any
    def __init__(self, frame: Frame, values_max: int) -> None: ...
    def step(self, budget: int) -> bool: ...

class Bodies:
    steps: int
    value: list[bytes]
    def __init__(self, frame: Frame) -> None: ...
    def step(self, budget: int) -> bool: ...

from penstock.store._disk import Faults

def create_segment(
    path: str, number: int, segment_bytes: int, journal: int, faults: Faults | None = None
) -> None: ...

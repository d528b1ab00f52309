SHARED_NAMES_MAX: int
PROGRAM_NAMES_MAX: int

def shared_count() -> int: ...

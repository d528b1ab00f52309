# cython: language_level=3
"""Limits of a message: every parser enforces them, and exceeding one is an error with its name.

The ceilings are the parsers' capacities; the defaults are used by `tree.parse`.
"""

from penstock.model import constants as mq
from penstock.model.errors import error

DEPTH_CEILING = 1000
ELEMENTS_CEILING = 2**31 - 16
ATTRIBUTES_CEILING = 512
NAMESPACES_CEILING = 512
NAMES_CEILING = 1 << 24
SIZE_CEILING = 2**31 - 16


cdef class Limits:
    """Maximum depth, elements, private names of one message, and bytes."""

    def __init__(self, *, depth_max=500, elements_max=4_000_000, names_max=200_000, size_max=100 << 20,
                 attributes_max=256, namespaces_max=256):
        self.depth_max = _within("depth_max", depth_max, DEPTH_CEILING)
        self.elements_max = _within("elements_max", elements_max, ELEMENTS_CEILING)
        self.names_max = _within("names_max", names_max, NAMES_CEILING)
        self.size_max = _within("size_max", size_max, SIZE_CEILING)
        self.attributes_max = _within("attributes_max", attributes_max, ATTRIBUTES_CEILING)
        self.namespaces_max = _within("namespaces_max", namespaces_max, NAMESPACES_CEILING)

    def __repr__(self):
        return (f"Limits(depth_max={self.depth_max}, elements_max={self.elements_max}, names_max={self.names_max}, "
                f"size_max={self.size_max}, attributes_max={self.attributes_max}, "
                f"namespaces_max={self.namespaces_max})")


def _within(name, value, ceiling):
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= ceiling:
        raise error(mq.PSRC_ARGUMENT_ERROR, f"{name} is from 1 to {ceiling}, not {value!r}")
    return value

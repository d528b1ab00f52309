"""Values of types that a language above this room defines, such as BIT and INTERVAL of ESQL.

A field holds them like its own. They are immutable, and `str` gives the text that formats write. This room
does not look inside.
"""


class OwnValue:
    """Base of such types."""

    __slots__ = ()

"""Values of types that a language above this room defines, such as BIT and INTERVAL of ESQL.

A field holds them like its own. They never change, and `str` gives the text that formats write. The
room does not look inside.
"""


class OwnValue:
    """Base of such types."""

    __slots__ = ()

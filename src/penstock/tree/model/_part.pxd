"""Declarations of parts: a model compiled for one format is a tree of them."""

from libc.stdint cimport int32_t, uint32_t

from penstock.tree.core._arena cimport Arena
from penstock.tree.core._output cimport OutputBuffer
from penstock.tree.model._codec cimport Codec

cdef enum:
    SEQUENCE = 0
    CHOICE = 1
    ALL = 2

cdef enum:  # whether parts beside each other have fields of one name
    UNSHARED = 0
    BESIDE_SHARED = 1  # some have, not this one
    SHARED = 2

cdef class Part:
    cdef readonly str name
    cdef uint32_t name_id, namespace_id
    cdef public Codec codec  # None for what holds other parts
    cdef public tuple parts
    cdef public int compose
    cdef public int least, most  # occurrences; most is -1 without a limit
    cdef public bint named  # an element of the tree; a group has no name, nor has the value of the element around
    cdef public bint has_default
    cdef public object default
    cdef public object checks  # the tests before and after it, or None
    cdef public bint uncertain  # an occurrence that fails a test counts as missing
    cdef public Part around  # the part that holds it, None at the top
    cdef int sharing
    # for parts that are written among the members of the outer group instead of in their own inner group
    cdef public int loose  # parts with one number repeat together, in the order of the tree; 0 for none
    cdef public int alternative  # parts with one number are one alternative of a choice; 0 for one of its own
    cdef public bint spare  # that group is optional, or a choice

cdef struct Mark:  # the state of a tree before a trial
    int32_t count, first, last
    uint32_t shape

cdef Mark mark_of(Arena tree, int32_t above) noexcept
cdef int roll_back(Arena tree, int32_t above, Mark mark) except -1
cdef int32_t add_leaf(Arena tree, int32_t above, Part part, const char *raw, Py_ssize_t length) except -1
cdef int32_t add_folder(Arena tree, int32_t above, Part part) except -1
cdef bint has_value(Part root) noexcept
cdef bint put_scalar(Arena tree, int32_t at, Codec codec, OutputBuffer out, Py_ssize_t length) except -1
cdef bytes encoded_field(Arena tree, int32_t at, Part part, Py_ssize_t length)
cdef bytes absent_field(Part part, Py_ssize_t length)

cdef inline bint is_alternative(Part part, Part chosen) noexcept:
    """Return whether a part belongs to the alternative of a choice that another one is of."""
    return part is chosen or (part.alternative != 0 and part.alternative == chosen.alternative)

cdef inline bint is_raw(Arena tree, int32_t at, Codec codec) noexcept:
    """Whether a field's undecoded bytes are what the codec would write."""
    return (tree.elements[at].kind == codec.kind and (tree.elements[at].flags & 0xFF00) == codec.flags
            and tree.elements[at].raw != NULL)

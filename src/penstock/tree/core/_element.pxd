"""The element: what one field of a message is in memory, 64 bytes, addressed by its number.

Links are numbers of elements; 0 (the root, which is nobody's child) means none. docs/internals/tree.md
has the invariants.
"""

from cpython.ref cimport PyObject
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t

cdef struct Element:
    PyObject *value  # owned: the value that was read or assigned, or NULL
    const char *raw  # the undecoded value, a slice of a buffer that the tree keeps
    uint32_t raw_length
    uint32_t type  # the domain's field type
    uint32_t name
    uint32_t namespace_
    int32_t parent
    int32_t first
    int32_t last
    int32_t next
    int32_t previous
    uint32_t shape  # of the children
    uint32_t before  # the parent's shape when this one was appended
    uint8_t kind
    uint8_t role
    uint16_t flags

cdef enum:
    NONE = 0
    DETACHED = -1  # as a parent

# How the value is kept.
cdef enum:
    K_NONE = 0
    K_OBJECT = 1  # assigned: only `value` counts
    K_TEXT = 2  # XML content that means itself
    K_TEXT_REFERENCES = 3  # XML content with references or carriage returns
    K_CDATA = 4
    K_ATTRIBUTE = 5  # an attribute's value that means itself and holds no quotation mark
    K_ATTRIBUTE_REFERENCES = 6
    K_STRING = 8  # JSON without escapes
    K_STRING_ESCAPES = 9
    K_INTEGER = 10
    K_NUMBER = 11
    K_TRUE = 12
    K_FALSE = 13
    K_NULL = 14
    K_BYTES = 15
    K_PLAIN = 24  # text that means itself and that no writer takes for its own
    K_CODED = 128  # and above: a codec's number is here and in the upper byte of the flags

# What the element is to its domain, whatever number its type has.
cdef enum:
    R_ELEMENT = 0
    R_ATTRIBUTE = 1
    R_NAMESPACE = 2
    R_TEXT = 3
    R_CDATA = 4
    R_COMMENT = 5
    R_INSTRUCTION = 6
    R_DECLARATION = 7
    R_ARRAY = 8
    R_REFUSED = 9  # a document type that a program made, an entity: never written
    R_DOCUMENT_TYPE = 10  # that came with a message whose reader requested it

cdef enum:
    F_ASCII = 1  # the raw value is ASCII
    F_ATTRIBUTES = 2  # has or had a child that is an attribute
    F_CHANGED = 4  # differs from what was parsed, here or below; then so does every ancestor
    F_UNPARSED = 8  # the children are still in the source
    F_VERBOSE = 16  # in XMLNS and XML: text is a child
    F_DELETED = 32
    F_CDATA = 64  # write the value as a CDATA section
    F_TIDY = 128  # unless changed, `raw` is all of the element, as a writer of the domain whose bytes these are may copy it
    F_CODEC = 0xFF00  # the rest of a codec's number, see K_CODED

"""What the parts of the XML scanner share: the state of one scan, and how it fails."""

from libc.stdint cimport int32_t, uint32_t

cdef enum:
    DEPTH_ROOM = 1000  # the ceilings of Limits
    BINDING_ROOM = 512
    ATTRIBUTE_ROOM = 512

cdef struct Open:  # an element whose end tag has not come
    const char *tag
    int32_t length
    int32_t colon  # where it is in the tag; -1 without a prefix
    int32_t element
    int32_t bindings  # how many there were outside
    bint children
    bint tidy  # so far it is just as the writer writes it

cdef struct Binding:
    const char *prefix
    int32_t length
    uint32_t uri

cdef struct Attribute:
    const char *name
    const char *value
    int32_t length
    int32_t colon
    int32_t value_length
    int32_t kind
    bint declares

cdef struct Scanner:
    const char *start
    const char *end
    int look
    int ascii
    bint verbose
    bint namespaces
    int options
    bint seen  # the root element
    bint doctype  # and the document type
    int32_t folder
    int32_t depth
    int32_t depth_max
    int32_t bindings_max
    int32_t attributes_max
    int32_t binding_count
    int32_t attribute_count
    bint regular  # the attributes of this tag are as the writer writes them, and none has or binds a prefix
    uint32_t default_namespace
    const char *prefix  # that was looked up last, and its namespace; NULL if bindings changed since
    int32_t prefix_length
    uint32_t prefix_uri
    const char *run  # text since the last tag
    Py_ssize_t run_length
    int run_kind  # K_NONE: no text; K_OBJECT: in pieces
    Open open[DEPTH_ROOM]
    Binding bindings[BINDING_ROOM]
    Attribute attributes[ATTRIBUTE_ROOM]

cdef int fail(Scanner *x, str what, const char *at, int code=*) except -1
cdef int bad_reference(Scanner *x, const char *at, bint entity) except -1

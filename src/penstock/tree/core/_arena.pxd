"""Declarations of the arena and of a domain, and the append that scanners inline."""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t

from penstock.tree.core._element cimport (
    Element, F_ATTRIBUTES, F_VERBOSE, NONE, R_ATTRIBUTE, R_NAMESPACE,
)
from penstock.tree.core._limits cimport Limits
from penstock.tree.core._names cimport LOCAL, NameEntry, NameTable
from penstock.tree.core._output cimport OutputBuffer
from penstock.tree.core._path cimport StepRule
from penstock.tree.core._shapes cimport EMPTY, LIKELY_MASK, UNKNOWN, Transition, next_shape

cdef enum:
    CURSORS = 8

# Options of a parse.
cdef enum:
    O_MIXED = 1
    O_COMMENTS = 2
    O_INSTRUCTIONS = 4
    O_DOCTYPE = 8

cdef struct Cursor:  # where an index was found last
    int32_t parent
    int32_t element
    int32_t index
    uint32_t name
    uint32_t namespace_
    uint32_t match
    uint32_t type
    uint32_t generation

cdef class Domain:
    cdef readonly str name
    cdef readonly bint verbose  # text is a child, as in XMLNS
    cdef readonly bint namespaces
    cdef readonly bint part  # of the message's bytes, as Properties is not
    cdef public bint valued  # a body may itself have a value besides its fields
    cdef readonly bint text  # characters, in the character set of the message
    cdef readonly str family  # domains of one family copy to each other like one
    cdef readonly int ccsid, encoding  # of messages that do not specify it; 0 is UTF-8 and native
    cdef uint32_t name_id
    cdef int scan(self, Arena tree, int32_t folder) except -1
    cdef int write(self, Arena tree, int32_t folder, OutputBuffer out) except -1
    cdef int build(self, Arena tree, int32_t folder, object data) except -1
    cdef bint like(self, Domain other) except -1

cdef class Arena:
    cdef Element *elements
    cdef Transition *likely  # the process's table
    cdef int32_t count, capacity
    cdef int32_t objects  # values held, so that most trees need no sweep at their end
    cdef uint32_t generation  # counts changes of structure other than appends
    cdef uint32_t appends
    cdef NameTable names  # of this tree alone, or None
    cdef list buffers  # whatever slices point into besides the source
    cdef list pieces  # of a text that a scanner is putting together
    cdef Limits limits
    # the body, parsed when it is touched
    cdef Domain form
    cdef bytes source
    cdef int32_t folder
    cdef readonly int ccsid, encoding  # that the body was parsed with; ccsid 0 if none was given
    cdef int options
    cdef str charset  # the codec that the source turned out to be in, or None for UTF-8
    cdef str output_charset  # while a body is written
    # For folders other than the body: the number of each, then what its domain parses on first access.
    cdef list payloads
    cdef dict owners  # fields that belong to another domain than their folder's
    cdef dict origins  # the parts of a model that fields were parsed as, where several have one name; None if none have
    cdef int output_ccsid, output_encoding
    cdef Cursor cursors[CURSORS]
    cdef Cursor counted  # the last cardinality: index is the count, element the appends then

    cdef int begin(self, int32_t capacity) except -1
    cdef int grow(self) except -1
    cdef uint32_t name_id(self, const char *text, Py_ssize_t length) except? 0
    cdef uint32_t name_below(self, int32_t parent, const char *text, Py_ssize_t length) except? 0
    cdef uint32_t adopt_id(self, Arena other, uint32_t name) except? 0
    cdef uint32_t own_id(self, uint32_t name) noexcept
    cdef NameEntry *entry(self, uint32_t name) noexcept
    cdef int keep(self, object buffer) except -1
    cdef int forget_value(self, int32_t at) except -1
    cdef int parse_folder(self, int32_t at) except -1
    cdef object forget_from(self, int32_t count)
    cdef int become_copy(self, Arena source) except -1
    cdef int forget_all(self) except -1
    cdef object value(self, int32_t at)
    cdef object as_written(self, int32_t at)
    cdef object decoded(self, int32_t at)
    cdef int put_value(self, int32_t at, object value) except -1
    cdef int put_raw(self, int32_t at, const char *raw, Py_ssize_t length, int kind, int flags) except -1
    cdef int mark(self, int32_t at) except -1
    cdef int32_t changed_from(self, int32_t at) noexcept
    cdef int unmark(self, int32_t at, int32_t until) except -1
    cdef int give_payload(self, int32_t at, object payload) except -1
    cdef object payload_of(self, int32_t at)
    cdef int32_t new_element(self, uint32_t name, uint32_t namespace_, uint32_t type_, int role) except -1
    cdef int link(self, int32_t at, int32_t parent, int32_t before) except -1
    cdef int unlink(self, int32_t at) except -1
    cdef int remove(self, int32_t at) except -1
    cdef int remove_children(self, int32_t at) except -1
    cdef int reshape(self, int32_t parent) except -1
    cdef int copy_into(self, Arena copy) except -1
    cdef Domain domain_of(self, int32_t at)
    cdef int own(self, int32_t at, Domain domain) except -1
    cdef int note_origin(self, int32_t at, object part) except -1
    cdef object origin_of(self, int32_t at)

cdef void forget_last_domain() noexcept

cdef inline int32_t append(Arena tree, int32_t parent, uint32_t name, uint32_t namespace_, uint32_t type_,
                           int role) except -1:
    """Add an element as the last child, for scanners: no flag of change is set."""
    if tree.count == tree.capacity:
        tree.grow()
    cdef int32_t at = tree.count
    cdef Element *element = &tree.elements[at]
    cdef Element *above = &tree.elements[parent]
    cdef Element *last
    cdef Transition *likely = &tree.likely[above.shape & LIKELY_MASK]
    cdef uint32_t kind = namespace_
    tree.count = at + 1
    element.value = NULL
    element.raw = NULL
    element.raw_length = 0
    element.type = type_
    element.name = name
    element.namespace_ = namespace_
    element.parent = parent
    element.first = element.last = element.next = NONE
    element.shape = EMPTY
    element.before = above.shape
    element.kind = 0
    element.role = <uint8_t>role
    element.flags = above.flags & F_VERBOSE
    if role == R_ATTRIBUTE or role == R_NAMESPACE:
        above.flags |= F_ATTRIBUTES
        kind |= LOCAL
    element.previous = above.last
    if above.last:
        last = &tree.elements[above.last]
        last.next = at
        above.last = at
        if last.name == name and last.namespace_ == namespace_ and last.role == element.role:
            return at  # a repetition: it is never the first match
    else:
        above.first = above.last = at
    if likely.shape == above.shape and likely.name == name and likely.kind == kind:
        above.shape = likely.after
    else:
        above.shape = UNKNOWN if (name | namespace_) & LOCAL else next_shape(above.shape, name, kind)
    return at

# cython: language_level=3, boundscheck=False, wraparound=False
"""The message tree as programs see it: parse, get, set, copy, serialise.

A tree belongs to one thread; pass a `copy()` to another. Every call checks its arguments; nothing here
accesses an element's memory except through the arena and the search.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_CheckExact, PyBytes_GET_SIZE
from libc.stdint cimport int32_t

from penstock.model import constants as mq
from penstock.model.ccsid import codec
from penstock.model.constants import MQENC_NATIVE
from penstock.model.errors import error
from penstock.tree.core._arena cimport Domain, O_COMMENTS, O_DOCTYPE, O_INSTRUCTIONS, O_MIXED, append
from penstock.tree.core._domains cimport domain_for, domain_named
from penstock.tree.core._element cimport (
    F_CHANGED, F_UNPARSED, F_VERBOSE, R_ELEMENT,
)
from penstock.tree.core._copying cimport assign_field
from penstock.tree.core._limits cimport Limits
from penstock.tree.core._output cimport OutputBuffer, new_output, put
from penstock.tree.core._path cimport Path
from penstock.tree.core._reference cimport Reference, new_reference
from penstock.tree.core._search cimport cardinality, find, make, make_like, walk, walk_from
from penstock.tree.core._field_changes cimport change_value, replace
from penstock.tree.core._types cimport T_NAME
from penstock.tree.core._values cimport float_in, integer_in, plain

from penstock.tree.core.missing import MISSING

cdef enum:
    CAPACITY_MIN = 16
    CAPACITY_FIRST_MAX = 512
    BYTES_AN_ELEMENT = 24  # a guess for the first block
    BYTES_BESIDE = 512  # that a body is expected to need beside what was read

cdef Limits DEFAULT_LIMITS = Limits()
cdef int NATIVE = MQENC_NATIVE
cdef int UTF8 = 1208


cdef object _MISSING = MISSING


def parse(data, str domain not None, model=None, *, message=None, format=None, ccsid=None, encoding=None, bint mixed=False,
          bint comments=False, bint instructions=False, bint doctype=False, str timing="onDemand", Limits limits=DEFAULT_LIMITS):
    """Return the message whose body is `data`; it is parsed at its first access.

    With `timing="immediate"` it is parsed now, so that invalid structure is found at once; "complete" also
    decodes every value, so that invalid data is. `ccsid` and `encoding` are those of the message descriptor;
    without them XML declares its own encoding and everything else is UTF-8. With a `model`, `message` and
    `format` select one of its messages and physical formats, if it has several. `mixed` keeps text beside
    elements, `comments` and `instructions` keep those (XMLNSC drops them by default). `doctype` accepts a
    document type in XML and keeps it as text; without it one is refused (8102). Entities are never defined.
    Raises 8113 if the data exceeds the limits.
    """
    cdef Message made = bare_message()
    made.limits = DEFAULT_LIMITS if limits is None else limits
    made.begin(first_capacity(data))
    made.take_body(data, domain_for(domain, model, message, format), ccsid, encoding)
    made.options = options_of(mixed, comments, instructions, doctype)
    if timing == "immediate" or timing == "complete":
        made.parse_folder(made.folder)
    elif timing != "onDemand":
        raise error(mq.PSRC_ARGUMENT_ERROR, f'timing is "onDemand", "immediate" or "complete", not {timing!r}')
    if timing == "complete":
        made.decode_all()
    return made


cdef int options_of(bint mixed, bint comments, bint instructions, bint doctype) noexcept:
    return ((O_MIXED if mixed else 0) | (O_COMMENTS if comments else 0) | (O_INSTRUCTIONS if instructions else 0)
            | (O_DOCTYPE if doctype else 0))


cdef int32_t first_capacity(object data) except -1:
    """Return an estimate of the number of elements of a body."""
    cdef Py_ssize_t capacity = len(data) // BYTES_AN_ELEMENT if isinstance(data, bytes) else 0
    return <int32_t>(CAPACITY_MIN if capacity < CAPACITY_MIN else min(capacity, CAPACITY_FIRST_MAX))


cdef bint BARE = False  # a message is being made whose elements its maker allocates


cdef Message bare_message():
    """Return a message without elements; no Python code runs before its creator has added some."""
    global BARE
    cdef Message message
    BARE = True
    try:
        message = Message.__new__(Message)
    finally:
        BARE = False
    return message


@cython.no_gc
@cython.final
cdef class Message(Arena):
    """One message as a tree: Root with Properties, headers and the body, the last folder.

    `Message()` is empty; `tree.parse` makes one from bytes.
    """

    def __cinit__(self):
        self.limits = DEFAULT_LIMITS
        self.encoding = NATIVE
        if not BARE:
            self.begin(CAPACITY_MIN)

    def __init__(self, *, Limits limits=None):
        if limits is not None:
            self.limits = limits
            self.capacity = max(self.count, min(self.capacity, limits.elements_max))

    cdef int take_body(self, object data, Domain form, object ccsid, object encoding) except -1:
        """Add the folder of a body that is parsed at its first access."""
        cdef bytes source
        if PyBytes_CheckExact(data):
            source = data
        elif isinstance(data, (bytes, bytearray, memoryview)):
            source = bytes(data)  # it could be changed elsewhere
        else:
            raise error(mq.PSRC_ARGUMENT_ERROR, f"a body is bytes, not {type(data).__name__}")
        return self.set_body(source, form, number_of("CCSID", ccsid, form.ccsid),
                             number_of("encoding", encoding, form.encoding or NATIVE))

    cdef int set_body(self, bytes source, Domain form, int ccsid, int encoding) except -1:
        if PyBytes_GET_SIZE(source) > self.limits.size_max:
            raise error(mq.PSRC_TREE_SIZE, f"a body of {len(source)} bytes; at most {self.limits.size_max}",
                        size_max=self.limits.size_max)
        self.source = source
        self.form = form
        self.ccsid = ccsid
        self.encoding = encoding
        self.folder = append(self, 0, form.name_id, 0, T_NAME, R_ELEMENT)
        self.elements[self.folder].flags = F_UNPARSED | (F_VERBOSE if form.verbose else 0)
        return 0

    def add_body(self, data, str domain not None, model=None, *, message=None, format=None, ccsid=None,
                 encoding=None, bint mixed=False, bint comments=False, bint instructions=False, bint doctype=False):
        """Add bytes as the last folder, parsed at its first access, as `tree.parse` does; a tree has one."""
        if self.folder:
            raise error(mq.PSRC_TREE_STRUCTURE, "this tree has a body already")
        self.take_body(data, domain_for(domain, model, message, format), ccsid, encoding)
        self.options = options_of(mixed, comments, instructions, doctype)
        return new_reference(self, self.folder)

    cpdef Reference add_folder(self, Domain domain, payload=None):
        """Add a folder of a domain below the root; the domain parses the payload at its first access."""
        if domain is None:
            raise TypeError("a folder needs a domain")
        cdef int32_t at = append(self, 0, domain.name_id, 0, T_NAME, R_ELEMENT)
        self.elements[at].flags = F_VERBOSE if domain.verbose else 0
        if domain_named(domain.name) is not domain:
            self.own(at, domain)
        if payload is not None:
            self.give_payload(at, payload)
        return new_reference(self, at)

    def get(self, Path path not None):
        """Return the value of the first field at a path: MISSING if there is none, None for NULL."""
        cdef int32_t at = walk(self, 0, path)
        return self.value(at) if at or path.count == 0 else _MISSING

    def get_at(self, Path path not None, indexes):
        """Return the value at a path with open indexes (`...`), which are filled from an int or a tuple."""
        cdef int32_t at = walk_from(self, 0, path, path.count, indexes)
        return self.value(at) if at else _MISSING

    def get_integer(self, Path path not None):
        """Return the field at a path as an int if its text is one, read from its slice; else like `get`."""
        cdef int32_t at = walk(self, 0, path)
        cdef object found = None
        if at and self.elements[at].value == NULL:
            found = integer_in(&self.elements[at])
        return found if found is not None else self.value(at) if at else _MISSING

    def get_float(self, Path path not None):
        """Return the field at a path as a float if its text is one, read from its slice; else like `get`."""
        cdef int32_t at = walk(self, 0, path)
        cdef object found = None
        if at and self.elements[at].value == NULL:
            found = float_in(&self.elements[at])
        return found if found is not None else self.value(at) if at else _MISSING

    def set(self, Path path not None, value):
        """Set the field at a path to a value, without children; missing fields are created.

        This is ESQL's SET: attributes are deleted too. `set_value` changes only the value. A gap in an index
        raises 8121, a value that is not an ESQL type 8124.
        """
        value = plain(value)
        replace(self, make(self, 0, path, None), value)

    def set_at(self, Path path not None, indexes, value):
        """Do what `set` does, for a path with open indexes."""
        value = plain(value)
        replace(self, make(self, 0, path, indexes), value)

    def set_value(self, Path path not None, value, indexes=None):
        """Change the value of the field at a path and keep its children; create missing fields."""
        value = plain(value)
        change_value(self, make(self, 0, path, indexes), value)

    def delete(self, Path path not None, indexes=None):
        """Delete the first field at a path with its subtree; return whether there was one."""
        cdef int32_t at = find(self, 0, path, indexes)
        if at == 0:
            return False
        self.remove(at)
        return True

    def exists(self, Path path not None, indexes=None):
        """Return whether there is a field at a path; no value is decoded."""
        return find(self, 0, path, indexes) != 0 or path.count == 0

    def cardinality(self, Path path not None, indexes=None):
        """Return how many fields match the last step of a path."""
        return cardinality(self, 0, path, indexes)

    def assign(self, Path path not None, Message source not None, Path origin not None, indexes=None,
               origin_indexes=None):
        """Copy a field with its subtree to a path, without decoding; False if the origin is missing.

        Between different domains only names and values are copied. If the path ends in any name (`*`) and a
        field must be created, it gets the names and the type of the origin.
        """
        cdef int32_t found = find(source, 0, origin, origin_indexes)
        if found == 0:
            return False
        assign_field(self, make_like(self, 0, path, indexes, source, found), source, found)
        return True

    cpdef Reference reference(self, Path path=None, indexes=None):
        """Return a Reference to the field at a path (to the root without one), or None."""
        cdef int32_t at = 0 if path is None else find(self, 0, path, indexes)
        return new_reference(self, at) if at or path is None or path.count == 0 else None

    def create(self, Path path not None, indexes=None):
        """Return a Reference to the field at a path; missing fields are created."""
        return new_reference(self, make(self, 0, path, indexes))

    def copy(self):
        """Return an independent copy: one block of memory; values and buffers are shared."""
        cdef Message copy = bare_message()
        self.copy_into(copy)
        return copy

    __copy__ = copy

    def __deepcopy__(self, memo):
        return self.copy()

    def body_as(self, str domain not None, model=None, *, message=None, format=None, ccsid=None, encoding=None):
        """Set the domain in which the body is written and return a Reference to its folder, created if
        missing.

        This is how an output message gets the model of its body, and how a parsed one changes to another
        physical format of its model.
        """
        cdef Domain form = domain_for(domain, model, message, format)
        cdef int32_t at = self.elements[0].last
        if self.folder and self.elements[self.folder].flags & F_UNPARSED:
            self.parse_folder(self.folder)  # in the domain that it came in
        while at and self.elements[at].name != self.own_id(form.name_id):
            at = self.elements[at].previous
        if at == 0:
            at = append(self, 0, self.own_id(form.name_id), 0, T_NAME, R_ELEMENT)
            self.elements[at].flags = F_VERBOSE if form.verbose else 0
        self.form = form
        self.folder = at
        self.ccsid = number_of("CCSID", ccsid, form.ccsid)
        self.encoding = number_of("encoding", encoding, form.encoding or NATIVE)
        self.charset = None
        self.mark(at)
        return new_reference(self, at)

    cdef int decode_all(self) except -1:
        cdef int32_t i
        for i in range(1, self.count):
            if self.elements[i].kind:
                self.value(i)
        return 0

    @property
    def body(self):
        """A Reference to the body, the last folder below the root; None if there is none."""
        cdef int32_t last = self.elements[0].last
        return new_reference(self, last) if last else None

    @property
    def accepts_doctype(self):
        """Whether the body may have a document type."""
        return (self.options & O_DOCTYPE) != 0

    @property
    def domain(self):
        """The name of the body's domain."""
        cdef int32_t last = self.elements[0].last
        return <object>self.entry(self.elements[last].name).text if last else ""

    @property
    def is_parsed(self):
        """Whether the body has been accessed."""
        return not (self.folder and self.elements[self.folder].flags & F_UNPARSED)

    def serialise(self, *, ccsid=None, encoding=None):
        """Return the bytes of the message: headers that travel in the body, and the body.

        An unchanged body is returned as it arrived. Text is written in the character set that it was parsed
        from unless `ccsid` is given. Raises 8130 for content that the format cannot represent.
        """
        cdef int32_t only = self.elements[0].first
        if ccsid is None and encoding is None and only and only == self.folder and not self.elements[only].next \
                and not self.elements[only].flags & F_CHANGED:
            return self.source
        return self.body_bytes(self.choose_charset(ccsid, encoding), ccsid is not None or encoding is not None)

    cpdef bytes folder_bytes(self, Reference folder, ccsid=None, encoding=None):
        """Return the bytes of one folder below the root, written as `serialise` does."""
        cdef int32_t at = folder.at if folder is not None and folder.tree is self else 0
        cdef Domain domain = self.domain_of(at)
        cdef OutputBuffer out
        if domain is None or self.elements[at].parent != 0:
            raise error(mq.PSRC_DOMAIN_UNKNOWN, "this is no folder of a domain below the root")
        if ccsid is None and encoding is None and at == self.folder and not self.elements[at].flags & F_CHANGED:
            return self.source
        out = new_output(self.read_bytes() + BYTES_BESIDE)
        self.write_folder(domain, at, out, self.choose_charset(ccsid, encoding))
        return out.finish()

    cpdef object payload_beside_body(self, Domain wanted):
        """Return the payload of a domain's folder, if only the body was changed.

        None if anything else was, if there is no such folder, or if the body, the last folder, has headers.
        """
        cdef int32_t at = self.elements[0].first
        cdef Domain domain
        cdef object found = None
        while at and self.elements[at].next:
            domain = self.domain_of(at)
            if domain is None or domain.part or self.elements[at].flags & F_CHANGED:
                return None
            if domain is wanted:
                found = self.payload_of(at)
            at = self.elements[at].next
        domain = self.domain_of(at)
        return found if domain is not None and domain.part else None

    cpdef Domain body_form(self):
        """Return the domain of the body, the last folder; None if there is none."""
        return self.domain_of(self.elements[0].last)

    cpdef bytes body_as_it_came(self, int ccsid, int encoding):
        """Return the bytes of an unchanged body, if it arrived in a CCSID and an encoding; else None."""
        cdef int32_t at = self.elements[0].last
        if at == 0 or at != self.folder or self.elements[at].flags & F_CHANGED:
            return None
        if (self.ccsid or UTF8) != ccsid or (self.ccsid and self.encoding != encoding):
            return None
        return self.source

    cdef str choose_charset(self, object ccsid, object encoding):
        """Record the CCSID and encoding for writing a body; return the codec for text."""
        self.output_ccsid = number_of("CCSID", ccsid, self.ccsid)
        self.output_encoding = number_of("encoding", encoding, self.encoding)
        if ccsid is not None:
            return charset_of(ccsid, self.output_encoding)
        if self.charset is not None:
            return self.charset
        return charset_of(self.ccsid, self.encoding) if self.ccsid else "utf-8"

    cdef Py_ssize_t read_bytes(self) noexcept:
        """Return how many bytes the fields were read from, as an estimate of the size to write."""
        if self.source is not None:
            return PyBytes_GET_SIZE(self.source)
        return PyBytes_GET_SIZE(<bytes>self.buffers[0]) if self.buffers and type(self.buffers[0]) is bytes else 0

    cdef bytes body_bytes(self, str charset, bint anew):
        """Write every folder below the root; unless `anew`, an unchanged body as it arrived."""
        cdef OutputBuffer out = new_output(self.read_bytes() + BYTES_BESIDE)
        cdef int32_t at = self.elements[0].first
        cdef Domain domain
        while at:
            domain = self.domain_of(at)
            if domain is None:
                name = <object>self.entry(self.elements[at].name).text
                raise error(mq.PSRC_DOMAIN_UNKNOWN, f"folder {name!r} below the root belongs to no domain", domain=name)
            if not domain.part:
                at = self.elements[at].next
                continue
            if at == self.folder and not anew and not self.elements[at].flags & F_CHANGED:
                put(out, PyBytes_AS_STRING(self.source), PyBytes_GET_SIZE(self.source))
            else:
                self.write_folder(domain, at, out, charset)
            at = self.elements[at].next
        return out.finish()

    cdef int write_folder(self, Domain domain, int32_t at, OutputBuffer out, str charset) except -1:
        cdef OutputBuffer aside
        cdef bytes part
        if self.elements[at].flags & F_UNPARSED:
            self.parse_folder(at)
        self.output_charset = charset
        if charset == "utf-8" or not domain.text:
            domain.write(self, at, out)
            return 0
        aside = new_output(out.end - out.at)
        domain.write(self, at, aside)
        part = encoded(aside.finish(), charset)
        put(out, PyBytes_AS_STRING(part), PyBytes_GET_SIZE(part))
        return 0

    def __iter__(self):
        """Iterate over References to the folders below the root."""
        return iter(new_reference(self, 0))

    def __str__(self):
        from penstock.tree.dump import dump

        return dump(self)

    def __repr__(self):
        return f"<Message {self.domain or 'empty'}, {self.count - 1} elements>"

    def __reduce__(self):
        raise TypeError("a message tree is not pickled; send what serialise() returns")


cpdef Message queued_message(bytes data, Domain form, int ccsid, int encoding, Domain properties, about,
                             Domain descriptor, source):
    """Return a message of three unparsed folders: Properties and MQMD with their payloads, the body.

    What `add_folder` and `add_body` do one by one, for the message that most flows get.
    """
    cdef Message made = bare_message()
    made.begin(first_capacity(data))
    append(made, 0, properties.name_id, 0, T_NAME, R_ELEMENT)
    append(made, 0, descriptor.name_id, 0, T_NAME, R_ELEMENT)
    made.elements[1].flags = made.elements[2].flags = F_UNPARSED
    made.payloads = [1, about, 2, source]
    made.set_body(data, form, ccsid, encoding)
    return made


cdef int LAST_CCSID = 1208, LAST_ENCODING = MQENC_NATIVE
cdef str LAST_CHARSET = "utf-8"


cdef int number_of(str what, object number, int usual) except? -1:
    """Return a given CCSID or encoding, else the default; MQ numbers have 32 bits."""
    if number is None:
        return usual
    if not -0x80000000 <= number <= 0x7FFFFFFF:
        raise error(mq.PSRC_ARGUMENT_ERROR, f"{what} {number} is no number of 32 bits")
    return number


cdef str charset_of(int ccsid, int encoding):
    """Return the codec of a character set; the last one is cached."""
    global LAST_CCSID, LAST_ENCODING, LAST_CHARSET
    if ccsid != LAST_CCSID or encoding != LAST_ENCODING:
        LAST_CHARSET = codec(ccsid, encoding)
        LAST_CCSID, LAST_ENCODING = ccsid, encoding
    return LAST_CHARSET


cdef bytes encoded(bytes data, str charset):
    text = data.decode("utf-8")
    try:
        return text.encode(charset)
    except UnicodeEncodeError as problem:
        character = ord(text[problem.start])
        raise error(mq.MQRC_NOT_CONVERTED, f"U+{character:04X} has no place in {charset}") from problem

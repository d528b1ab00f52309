# cython: language_level=3
"""MRM TDS: text whose fields are separated by tags, delimiters, lengths or patterns.

Scanner (`_scanner`) and writer (`_writer`) work on UTF-8; other character sets are converted as a whole
before and after. `model.tds` makes the plan. The ends of values are known when the plan is made, because the
separators of the enclosing groups are fixed: so every character is scanned once.
"""

from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memcmp, memset

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE

from penstock.tree.core._arena cimport Arena, Domain
from penstock.tree.model._codec cimport Codec
from penstock.tree.model._codec_text import NumberTextCodec
from penstock.tree.core._output cimport OutputBuffer
from penstock.tree.model._part cimport CHOICE, SHARED, has_value
from penstock.tree.model._sibling_run cimport note_sharing
from penstock.tree.tagged._scanner cimport scan_tds
from penstock.tree.tagged._writer cimport write_tds
from penstock.tree.core._template cimport TEMPLATE_ELEMENTS_MAX

globals().update(TAGGED_DELIMITED=TAGGED_DELIMITED, TAGGED_FIXED=TAGGED_FIXED, TAGGED_ENCODED=TAGGED_ENCODED,
                 ALL_DELIMITED=ALL_DELIMITED, VARIABLE_DELIMITED=VARIABLE_DELIMITED, FIXED_LENGTH=FIXED_LENGTH,
                 DATA_PATTERN=DATA_PATTERN)


cdef class Stops:
    """The texts that end a value in one position of a model."""

    def __init__(self, texts):
        self.texts = tuple(sorted({text for text in texts if text}, key=lambda text: (-len(text), text)))
        self.any = bool(self.texts)
        self.single = self.texts[0][0] if len(self.texts) == 1 and len(self.texts[0]) == 1 else -1
        memset(self.first, 0, 256)
        for text in self.texts:
            self.first[<uint8_t>text[0]] = 1

    cdef Py_ssize_t match(self, const char *p, const char *end) noexcept:
        """Return the length of the stop at this position, 0 if there is none."""
        cdef bytes text
        if p == end or not self.first[<uint8_t>p[0]]:
            return 0
        for text in self.texts:
            if end - p >= PyBytes_GET_SIZE(text) and memcmp(p, PyBytes_AS_STRING(text), PyBytes_GET_SIZE(text)) == 0:
                return PyBytes_GET_SIZE(text)
        return 0


cdef class TdsPart(Part):
    """An element or a group in tagged or delimited text."""

    def __init__(self, str name not None, str namespace not None=""):
        super().__init__(name, namespace)
        self.lead_in = self.repeat_delimiter = self.indicator = self.terminator = self.delimiter = b""
        self.reserved = b""
        self.pad = b" "
        self.length = self.length_slot = self.slot = self.escape = self.quote = self.limit = -1


cdef class TdsPlan:
    """The plan that the scanner and the writer follow."""

    def __init__(self, TdsPart root not None, int slots, checker=None):
        self.root = root
        self.slots = slots
        self.checker = checker
        note_sharing(root)
        note_plain(root)


cdef int note_plain(TdsPart group) except -1:
    """Count the plain parts at the beginning of groups, recursively."""
    cdef TdsPart part
    cdef bint plain = group.separation == TAGGED_DELIMITED and group.compose != CHOICE
    for part in group.parts:
        plain = plain and group.plain < TEMPLATE_ELEMENTS_MAX and is_plain(part, group)
        group.plain += plain
        part.opening = group.delimiter + part.lead_in
        part.clear = isinstance(part.codec, NumberTextCodec) and not may_hide_digits(part)
        if part.codec is None:
            note_plain(part)
    return 0


cdef bint may_hide_digits(TdsPart part) noexcept:
    """Return whether a number may hold what its value has to hide."""
    cdef uint8_t byte
    for byte in b"0123456789.-":
        if part.stops.first[byte] or byte == part.escape or byte == part.quote or byte in part.reserved:
            return True
    return False


cdef bint is_plain(TdsPart part, TdsPart group) noexcept:
    """Return whether a part is at most one value without lengths and escapes."""
    return (part.codec is not None and part.named and part.most == 1 and PyBytes_GET_SIZE(part.lead_in) > 0
            and PyBytes_GET_SIZE(part.repeat_delimiter) == 0 and part.slot < 0 and part.length_slot < 0
            and part.escape < 0 and part.quote < 0 and part.checks is None and part.sharing != SHARED
            and not (group.observe_length and part.length >= 0))


cdef class TdsDomain(Domain):
    """One message of a model in TDS."""

    cdef TdsPlan plan

    def __init__(self, name, TdsPlan plan not None, *, ccsid=0, namespaces=False):
        super().__init__(name, namespaces=namespaces, family=name, ccsid=ccsid)
        self.plan = plan
        self.valued = has_value(plan.root)

    @property
    def root(self):
        """The message as a part."""
        return self.plan.root

    cdef int scan(self, Arena tree, int32_t folder) except -1:
        return scan_tds(self.plan, tree, folder)

    cdef int write(self, Arena tree, int32_t folder, OutputBuffer out) except -1:
        return write_tds(self.plan, tree, folder, out)


cdef class EscapedCodec(Codec):
    """A text with escapes or in quotation marks; the inner codec handles its content."""

    cdef Codec inner
    cdef int escape, quote

    def __init__(self, Codec inner not None, int escape, int quote):
        self.inner = inner
        self.escape, self.quote = escape, quote

    cdef object decode(self, const char *raw, Py_ssize_t length):
        cdef bytearray plain = bytearray()
        cdef Py_ssize_t i = 0
        cdef bint quoted = self.quote >= 0 and length > 1 and <uint8_t>raw[0] == self.quote
        if quoted:
            i = 1
            length -= 1
        while i < length:
            if i + 1 < length and (not quoted and <uint8_t>raw[i] == self.escape
                                   or quoted and <uint8_t>raw[i] == self.quote):
                i += 1
            plain.append(<uint8_t>raw[i])
            i += 1
        cdef bytes text = bytes(plain)
        return self.inner.decode(PyBytes_AS_STRING(text), PyBytes_GET_SIZE(text))

# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The arena: the elements of one message in one block of memory, and structural changes.

It knows links, values and lazy parsing; it does not know paths (`_search`), formats (domains) or the public
names (`_message`). Element numbers are never reused within a tree, so a reference to a deleted element is
detected. Invariants are in docs/internals/tree.md; above all: no pointer to an element is kept across a call
that can run Python code or add elements.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.ref cimport Py_DECREF, Py_INCREF, PyObject
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcmp, memcpy, memset

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.tree.core._element cimport (
    DETACHED, F_ASCII, F_CDATA, F_CHANGED, F_CODEC, F_DELETED, F_UNPARSED, K_CODED, K_NONE, K_NUMBER, K_OBJECT,
    R_CDATA, R_TEXT,
)
from penstock.tree.core._names cimport find_name, name_seed, shared_id, shared_names
from penstock.tree.core._shapes cimport LIKELY_MASK, Transition, likely_transitions
from penstock.tree.core._text cimport ps_hash
from penstock.tree.core._values cimport decode, text_of

from penstock.tree.core._names import SHARED_NAMES_MAX

cdef enum:
    NAME_BYTES_SHARED = 255  # longer names of messages are stored in their tree
    BLOCK_ELEMENTS = 64  # the usual first block
    SPARE_BLOCKS = 16

cdef uint64_t SEED = name_seed()
cdef NameTable SHARED = shared_names()
cdef uint32_t SHARED_MAX = SHARED_NAMES_MAX
cdef object _find_domain = None  # the register imports this module


# The most recently used domains by the names of their folders: Properties, MQMD and a few more.
cdef enum:
    FOLDERS_KNOWN = 16
cdef uint32_t FOLDER_NAMES[FOLDERS_KNOWN]
cdef list FOLDER_DOMAINS = [None] * FOLDERS_KNOWN


cdef void forget_last_domain() noexcept:
    """Clear the cache: the register has a new domain."""
    memset(FOLDER_NAMES, 0, sizeof(FOLDER_NAMES))  # 0 is the empty name


# Blocks of the usual size are reused for the next message; the GIL guards them.
cdef Element *SPARE[SPARE_BLOCKS]
cdef int SPARE_COUNT = 0


cdef Element *take_block(int32_t capacity) except NULL:
    global SPARE_COUNT
    cdef Element *block
    if capacity == BLOCK_ELEMENTS and SPARE_COUNT:
        SPARE_COUNT -= 1
        return SPARE[SPARE_COUNT]
    block = <Element *>malloc(capacity * sizeof(Element))
    if block == NULL:
        raise MemoryError
    return block


cdef void give_block(Element *block, int32_t capacity) noexcept:
    global SPARE_COUNT
    if capacity == BLOCK_ELEMENTS and SPARE_COUNT < SPARE_BLOCKS and block != NULL:
        SPARE[SPARE_COUNT] = block
        SPARE_COUNT += 1
    else:
        free(block)


cdef class Domain:
    """A format of the tree: `scan` fills a folder from its source, `write` serialises it.

    A domain in C overrides the two; one in Python overrides `parse_into` and `serialise_from`.
    """

    def __init__(self, name, *, verbose=False, namespaces=False, text=True, part=True, family=None, ccsid=0,
                 encoding=0):
        self.name = name
        self.part = part
        self.family = family
        self.verbose = verbose
        self.namespaces = namespaces
        self.text = text
        self.ccsid = ccsid
        self.encoding = encoding
        self.name_id = shared_id(name)

    cdef int scan(self, Arena tree, int32_t folder) except -1:
        return self.build(tree, folder, tree.source)

    cdef bint like(self, Domain other) except -1:
        """Return whether a copy between two domains keeps everything."""
        return self is other or (other is not None and self.family is not None and self.family == other.family)

    cdef int build(self, Arena tree, int32_t folder, object data) except -1:
        """Let Python code make the children of a folder; what a parser builds does not count as a change."""
        from penstock.tree.core._reference import reference_to

        cdef int32_t i = tree.count
        cdef int32_t changed = tree.changed_from(folder)
        try:
            self.parse_into(reference_to(tree, folder), data)
        except:
            tree.remove_children(folder)  # deleted, but the numbers stay used: references to them may exist
            tree.elements[folder].flags |= F_UNPARSED
            raise
        finally:
            tree.unmark(folder, changed)
        while i < tree.count:
            tree.elements[i].flags &= ~<uint16_t>F_CHANGED
            i += 1
        return 0

    cdef int write(self, Arena tree, int32_t folder, OutputBuffer out) except -1:
        from penstock.tree.core._reference import reference_to

        cdef bytes data = self.serialise_from(reference_to(tree, folder))
        if out.end - out.at < PyBytes_GET_SIZE(data):
            out.make_room(PyBytes_GET_SIZE(data))
        memcpy(out.at, PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data))
        out.at += PyBytes_GET_SIZE(data)
        return 0

    def parse_into(self, folder, data):
        """Build the elements of `data` below `folder`, a Reference."""
        raise error(mq.PSRC_DOMAIN_UNKNOWN, f"{self.name} is no format that a body can be parsed from", domain=self.name)

    def serialise_from(self, folder):
        """Return the bytes of a folder."""
        raise error(mq.PSRC_DOMAIN_UNKNOWN, f"{self.name} is no format that a body can be written in", domain=self.name)


@cython.no_gc
cdef class Arena:
    """Elements by number; 0 is the root."""

    def __dealloc__(self):
        cdef int32_t i
        if self.objects:
            for i in range(self.count):
                if self.elements[i].value != NULL:
                    Py_DECREF(<object>self.elements[i].value)
        give_block(self.elements, self.capacity)

    cdef int begin(self, int32_t capacity) except -1:
        """Make the root."""
        if capacity < BLOCK_ELEMENTS:
            capacity = BLOCK_ELEMENTS
        self.elements = take_block(capacity)
        self.capacity = min(capacity, self.limits.elements_max)
        self.likely = likely_transitions()
        self.count = 1
        memset(self.elements, 0, sizeof(Element))
        self.elements[0].shape = EMPTY
        self.elements[0].type = 0x01000000
        return 0

    cdef int grow(self) except -1:
        cdef int32_t limit = self.limits.elements_max
        if self.count >= limit:
            raise error(mq.PSRC_TREE_ELEMENTS, f"more than {limit} elements", elements_max=limit)
        cdef int32_t capacity = limit if self.capacity > limit // 2 else self.capacity * 2
        cdef Element *elements = <Element *>realloc(self.elements, capacity * sizeof(Element))
        if elements == NULL:
            raise MemoryError
        self.elements = elements
        self.capacity = capacity
        return 0

    # Names

    cdef uint32_t name_id(self, const char *text, Py_ssize_t length) except? 0:
        """Return the number of a name of the message."""
        if length == 0:
            return 0
        cdef uint32_t hash = ps_hash(text, length, SEED)
        cdef uint32_t found
        if self.names is not None:
            found = find_name(self.names, text, length, hash)
            if found:
                return found | LOCAL
        found = find_name(SHARED, text, length, hash)
        if found:
            return found
        if length <= NAME_BYTES_SHARED and SHARED.count < SHARED_MAX:
            return SHARED.add(text, length, hash)
        if self.names is None:
            self.names = NameTable(self.limits.names_max)
        return self.names.add(text, length, hash) | LOCAL

    cdef uint32_t name_below(self, int32_t parent, const char *text, Py_ssize_t length) except? 0:
        """Return the number of the next name below an element; the likely ones are tried first."""
        cdef Element *above = &self.elements[parent]
        cdef Transition *likely = &self.likely[above.shape & LIKELY_MASK]
        cdef NameEntry *entry
        if self.names is None:
            if likely.shape == above.shape:
                entry = &SHARED.entries[likely.name]
                if entry.length == <uint32_t>length and memcmp(entry.utf8, text, length) == 0:
                    return likely.name
            if above.last:
                entry = &SHARED.entries[self.elements[above.last].name]
                if entry.length == <uint32_t>length and memcmp(entry.utf8, text, length) == 0:
                    return self.elements[above.last].name
        return self.name_id(text, length)

    cdef NameEntry *entry(self, uint32_t name) noexcept:
        """Return the data of a name; the pointer is valid until the next name is added."""
        return &self.names.entries[name & ~<uint32_t>LOCAL] if name & LOCAL else &SHARED.entries[name]

    cdef uint32_t own_id(self, uint32_t name) noexcept:
        """Return the number of a shared name in this tree."""
        cdef NameEntry *entry
        cdef uint32_t found
        if self.names is None or name == 0:
            return name
        entry = &SHARED.entries[name]
        found = find_name(self.names, entry.utf8, entry.length, entry.hash)
        return found | LOCAL if found else name

    cdef uint32_t adopt_id(self, Arena other, uint32_t name) except? 0:
        """Return the number in this tree of a name of another tree."""
        cdef NameEntry *entry
        if name & LOCAL:
            if other.names is self.names:
                return name
            entry = other.entry(name)
            return self.name_id(entry.utf8, entry.length)
        return self.own_id(name)

    cdef int keep(self, object buffer) except -1:
        """Keep a buffer alive that slices refer to."""
        if buffer is None or buffer is self.source:
            return 0
        if self.buffers is None:
            self.buffers = [buffer]
            return 0
        for kept in self.buffers:
            if kept is buffer:
                return 0
        self.buffers.append(buffer)
        return 0

    # The lazy body

    cdef int parse_folder(self, int32_t at) except -1:
        """Parse the source of a folder at its first access; all or nothing."""
        cdef int32_t count = self.count
        self.elements[at].flags &= ~<uint16_t>F_UNPARSED
        if at != self.folder:
            return self.domain_of(at).build(self, at, self.payload_of(at))
        try:
            self.form.scan(self, at)
        except:
            if not self.elements[at].flags & F_UNPARSED:
                self.forget_from(count)
                self.forget_value(at)
                self.elements[at].first = self.elements[at].last = NONE
                self.elements[at].shape = EMPTY
                self.elements[at].flags |= F_UNPARSED
            raise
        finally:
            self.pieces = None
        return 0

    cdef int forget_value(self, int32_t at) except -1:
        """Remove the value of an element."""
        cdef PyObject *old = self.elements[at].value
        self.elements[at].kind = K_NONE
        self.elements[at].value = NULL
        if old != NULL:
            self.objects -= 1
            Py_DECREF(<object>old)
        return 0

    cdef int become_copy(self, Arena source) except -1:
        """Make a tree that has only its root a copy of another."""
        cdef Element *empty = self.elements
        cdef int32_t capacity = self.capacity
        source.copy_into(self)
        give_block(empty, capacity)
        return 0

    cdef int forget_all(self) except -1:
        """Empty the tree and restart the numbering; the caller drops all references into it."""
        self.forget_from(1)
        self.elements[0].first = self.elements[0].last = NONE
        self.elements[0].shape = EMPTY
        self.generation += 1
        self.buffers = self.names = self.source = self.form = self.charset = self.payloads = None
        self.owners = self.origins = None
        self.folder = 0
        memset(self.cursors, 0, sizeof(self.cursors))
        memset(&self.counted, 0, sizeof(self.counted))
        return self.mark(0)

    cdef forget_from(self, int32_t count):
        cdef int32_t i
        cdef list values = []
        for i in range(count, self.count):
            if self.elements[i].value != NULL:
                values.append(<object>self.elements[i].value)
                Py_DECREF(<object>self.elements[i].value)
                self.elements[i].value = NULL
                self.objects -= 1
        if self.origins is not None:
            for i in range(count, self.count):
                self.origins.pop(i, None)
        self.count = count

    # Values

    cdef object value(self, int32_t at):
        """Return the value of an element; it is decoded once."""
        cdef Element *element = &self.elements[at]
        cdef int32_t child
        cdef object found
        if element.value != NULL:
            return <object>element.value
        if element.kind == K_NONE:
            if element.flags & F_UNPARSED and at == self.folder and self.form.valued:
                self.parse_folder(at)
                return self.value(at)
            child = element.first
            while child:
                if self.elements[child].role == R_TEXT or self.elements[child].role == R_CDATA:
                    return self.value(child) if self.elements[child].kind != K_NONE else None
                child = self.elements[child].next
            return None
        found = decode(element) if element.kind < K_CODED else self.decoded(at)
        element = &self.elements[at]
        Py_INCREF(found)
        element.value = <PyObject *>found
        self.objects += 1
        return found

    cdef object as_written(self, int32_t at):
        """Return the value of an element; an unchanged number of a JSON message as its text."""
        cdef Element *element = &self.elements[at]
        if element.kind == K_NUMBER:
            return text_of(element.raw, element.raw_length, True)
        return self.value(at)

    cdef object decoded(self, int32_t at):
        """Return the value of an element of a modelled format; an error names the field and offset."""
        cdef Element *element = &self.elements[at]
        cdef const char *start
        try:
            return decode(element)
        except MQError as problem:
            name = <object>self.entry(self.elements[at].name).text
            start = NULL if self.source is None else PyBytes_AS_STRING(self.source)
            offset = self.elements[at].raw - start
            if start == NULL or not 0 <= offset <= PyBytes_GET_SIZE(self.source):
                raise error(problem.reason, f"field {name}: {problem.detail}", field=name) from problem
            raise error(problem.reason, f"field {name} at offset {offset}: {problem.detail}", field=name,
                        offset=offset) from problem

    cdef int put_value(self, int32_t at, object value) except -1:
        """Set the value of an element; the value has passed `plain`."""
        cdef Element *element = &self.elements[at]
        cdef PyObject *old = element.value
        Py_INCREF(value)
        element.value = <PyObject *>value
        element.kind = K_OBJECT
        element.raw = NULL
        element.raw_length = 0
        if old == NULL:
            self.objects += 1
        else:
            Py_DECREF(<object>old)
        return 0

    cdef int put_raw(self, int32_t at, const char *raw, Py_ssize_t length, int kind, int flags) except -1:
        """Set an undecoded value of an element that has none, in a buffer that the tree keeps."""
        cdef Element *element = &self.elements[at]
        element.raw = raw
        element.raw_length = <uint32_t>length
        element.kind = <uint8_t>kind
        element.flags = (element.flags & ~<uint16_t>(F_ASCII | F_CODEC)) | <uint16_t>(flags & (F_ASCII | F_CODEC))
        return 0

    # Structure

    cdef int mark(self, int32_t at) except -1:
        """Record a change at an element: it and its ancestors differ from what was parsed."""
        while at >= 0 and not self.elements[at].flags & F_CHANGED:
            self.elements[at].flags |= F_CHANGED
            if at == 0:
                break
            at = self.elements[at].parent
        return 0

    cdef int32_t changed_from(self, int32_t at) noexcept:
        """Return the first changed element from one towards the root; -1 if even the root is unchanged."""
        while at >= 0 and not self.elements[at].flags & F_CHANGED:
            at = self.elements[at].parent if at else -1
        return at

    cdef int unmark(self, int32_t at, int32_t until) except -1:
        """Undo `mark` from an element up to one that was changed before."""
        while at >= 0 and at != until:
            self.elements[at].flags &= ~<uint16_t>F_CHANGED
            at = self.elements[at].parent if at else -1
        return 0

    cdef int32_t new_element(self, uint32_t name, uint32_t namespace_, uint32_t type_, int role) except -1:
        """Make an element that has no parent yet."""
        if self.count == self.capacity:
            self.grow()
        cdef int32_t at = self.count
        cdef Element *element = &self.elements[at]
        self.count += 1
        memset(element, 0, sizeof(Element))
        element.name = name
        element.namespace_ = namespace_
        element.type = type_
        element.role = <uint8_t>role
        element.parent = DETACHED
        element.shape = EMPTY
        element.flags = F_CHANGED
        return at

    cdef int reshape(self, int32_t parent) except -1:
        """Forget the order of children: hints and cursors are no longer valid."""
        self.generation += 1
        self.elements[parent].shape = UNKNOWN if self.elements[parent].first else EMPTY
        return 0

    cdef int link(self, int32_t at, int32_t parent, int32_t before) except -1:
        """Make an element without a parent a child: before a sibling, or the last one if that is 0."""
        cdef Element *element = &self.elements[at]
        cdef Element *above = &self.elements[parent]
        cdef uint32_t kind = element.namespace_
        element.parent = parent
        element.next = before
        element.previous = self.elements[before].previous if before else above.last
        element.before = above.shape
        if element.previous:
            self.elements[element.previous].next = at
        else:
            above.first = at
        if before:
            self.elements[before].previous = at
        else:
            above.last = at
        if element.role == R_ATTRIBUTE or element.role == R_NAMESPACE:
            above.flags |= F_ATTRIBUTES
            kind |= LOCAL
        if before:
            self.reshape(parent)
        else:
            self.appends += 1
            if (element.name | element.namespace_) & LOCAL:
                above.shape = UNKNOWN
            else:
                above.shape = next_shape(above.shape, element.name, kind)
        return self.mark(parent)

    cdef int unlink(self, int32_t at) except -1:
        """Remove an element with its subtree from its parent."""
        cdef Element *element = &self.elements[at]
        cdef int32_t parent = element.parent
        cdef Element *above = &self.elements[parent]
        cdef bint was_last = element.next == NONE
        if element.previous:
            self.elements[element.previous].next = element.next
        else:
            above.first = element.next
        if element.next:
            self.elements[element.next].previous = element.previous
        else:
            above.last = element.previous
        cdef uint32_t shape = above.shape
        self.reshape(parent)
        if was_last and shape != UNKNOWN and above.first:
            above.shape = element.before
        element.parent = DETACHED
        element.next = element.previous = NONE
        return self.mark(parent)

    cdef int remove(self, int32_t at) except -1:
        """Delete an element and its subtree; the numbers are not reused."""
        if self.elements[at].parent != DETACHED:
            self.unlink(at)
        cdef int32_t i = at
        cdef list values = []
        while True:
            self.elements[i].flags |= F_DELETED
            if self.elements[i].value != NULL:
                values.append(<object>self.elements[i].value)  # freed when no element is accessed any more
                Py_DECREF(<object>self.elements[i].value)
                self.elements[i].value = NULL
                self.objects -= 1
            self.elements[i].kind = K_NONE
            if self.elements[i].first:
                i = self.elements[i].first
                continue
            while i != at and not self.elements[i].next:
                i = self.elements[i].parent
            if i == at:
                break
            i = self.elements[i].next
        self.elements[at].first = self.elements[at].last = NONE
        return 0

    cdef int remove_children(self, int32_t at) except -1:
        while self.elements[at].last:
            self.remove(self.elements[at].last)
        return 0

    cdef Domain domain_of(self, int32_t at):
        """Return the domain of an element, from an owner above it or from its folder's name, or None."""
        global _find_domain
        cdef uint32_t name
        if at == self.folder and at > 0:
            return self.form
        if self.owners is not None and at in self.owners:
            return self.owners[at]
        while at > 0 and self.elements[at].parent > 0:
            at = self.elements[at].parent
            if self.owners is not None and at in self.owners:
                return self.owners[at]
        if at <= 0 or self.elements[at].parent == DETACHED:
            return None
        if at == self.folder:
            return self.form
        name = self.elements[at].name
        if name == 0 or name != FOLDER_NAMES[name % FOLDERS_KNOWN]:
            if _find_domain is None:
                from penstock.tree.core._domains import find_domain as _find_domain
            found = _find_domain(<object>self.entry(name).text)
            if name & LOCAL:
                return found
            FOLDER_DOMAINS[name % FOLDERS_KNOWN] = found
            FOLDER_NAMES[name % FOLDERS_KNOWN] = name
        return <Domain>FOLDER_DOMAINS[name % FOLDERS_KNOWN]

    cdef int own(self, int32_t at, Domain domain) except -1:
        """Put an element and its future children into a domain, whatever its name is."""
        if self.owners is None:
            self.owners = {}
        self.owners[at] = domain
        self.elements[at].flags &= ~<uint16_t>F_VERBOSE
        if domain.verbose:
            self.elements[at].flags |= F_VERBOSE
        return 0

    cdef int note_origin(self, int32_t at, object part) except -1:
        """Record which part of a model a field was parsed as; None is no part."""
        if part is None:
            return 0
        if self.origins is None:
            self.origins = {}
        self.origins[at] = part
        return 0

    cdef object origin_of(self, int32_t at):
        """Return the part of a model that a field was parsed as; None if its name suffices or a program
        created it.
        """
        return None if self.origins is None else self.origins.get(at)

    cdef int give_payload(self, int32_t at, object payload) except -1:
        """Give an element a payload that its domain parses when the children are accessed."""
        if self.payloads is None:
            self.payloads = [at, payload]
        else:
            self.payloads.append(at)
            self.payloads.append(payload)
        self.elements[at].flags |= F_UNPARSED
        return 0

    cdef object payload_of(self, int32_t at):
        """Return the payload of an element, or None; the newest are found first."""
        cdef Py_ssize_t i
        if self.payloads is not None:
            for i in range(len(self.payloads) - 2, -1, -2):
                if <int32_t>self.payloads[i] == at:
                    return self.payloads[i + 1]
        return None

    cdef int copy_into(self, Arena copy) except -1:
        """Make a new arena a copy of this one: one block copied, values shared."""
        cdef int32_t i
        cdef int32_t capacity = self.count + 8 if self.count > BLOCK_ELEMENTS - 8 else BLOCK_ELEMENTS
        copy.elements = take_block(capacity)
        memcpy(copy.elements, self.elements, self.count * sizeof(Element))
        copy.capacity = max(self.count, min(capacity, self.limits.elements_max))
        copy.likely = self.likely
        copy.count = self.count
        copy.objects = self.objects
        if self.objects:
            for i in range(copy.count):
                if copy.elements[i].value != NULL:
                    Py_INCREF(<object>copy.elements[i].value)
        copy.generation = self.generation
        copy.appends = self.appends
        copy.names = self.names
        copy.buffers = None if self.buffers is None else list(self.buffers)
        copy.payloads = None if self.payloads is None else list(self.payloads)
        copy.owners = None if self.owners is None else dict(self.owners)
        copy.origins = None if self.origins is None else dict(self.origins)
        copy.limits = self.limits
        copy.form = self.form
        copy.source = self.source
        copy.folder = self.folder
        copy.ccsid = self.ccsid
        copy.encoding = self.encoding
        copy.options = self.options
        copy.charset = self.charset
        return 0

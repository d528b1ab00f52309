# cython: language_level=3, boundscheck=False, wraparound=False
"""Places: what the tests of a model see of a message while it is still being scanned.

A place is an element by its number. It walks plain links and leaves no cursor or hint behind, because the
scanner may take back what it has appended; so nobody keeps a place beyond the test that asked for it.
"""


cdef class Place:
    """One field of a message that is being parsed; `top` is the folder of the whole message."""

    @property
    def name(self):
        """The field's name; the folder's for the message itself."""
        return <object>self.tree.entry(self.tree.elements[self.at].name).text

    @property
    def value(self):
        """The field's value; None for NULL and for a field that holds fields."""
        return self.tree.value(self.at)

    def parent(self):
        """Return the field around this one, None at the top."""
        return None if self.at == self.top else new_place(self.tree, self.tree.elements[self.at].parent, self.top)

    def root(self):
        """Return the message."""
        return new_place(self.tree, self.top, self.top)

    def children(self, str name not None):
        """Return the fields of a name that this one holds so far."""
        cdef list found = []
        cdef int32_t child = self.tree.elements[self.at].first
        while child:
            if <object>self.tree.entry(self.tree.elements[child].name).text == name:
                found.append(new_place(self.tree, child, self.top))
            child = self.tree.elements[child].next
        return found

    def index(self):
        """Return which of the fields of its name this one is, from 1 on."""
        cdef int count = 1
        cdef int32_t before = self.tree.elements[self.at].previous
        while before:
            count += self.tree.elements[before].name == self.tree.elements[self.at].name
            before = self.tree.elements[before].previous
        return count


cdef Place new_place(Arena tree, int32_t at, int32_t top):
    cdef Place made = Place.__new__(Place)
    made.tree = tree
    made.at, made.top = at, top
    return made

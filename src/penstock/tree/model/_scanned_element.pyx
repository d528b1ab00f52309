# cython: language_level=3, boundscheck=False, wraparound=False
"""Scanned elements: the view that a model's tests have of a message while it is being scanned.

It is an element by its number. It follows plain links and leaves no cursor or hint behind, because the
scanner may remove what it has appended; so nothing keeps one beyond the test that asked for it. The tests
count the elements that a walk passes, and limit them.
"""

from libc.stdint cimport uint32_t

from penstock.tree.core._names cimport shared_id

cdef enum:
    STEPS_OF_A_PLACE = 20  # the cost of one, in elements passed


cdef class ScannedElement:
    """One field of a message that is being parsed; `top` is the folder of the whole message."""

    @property
    def name(self):
        """The field's name; the folder's for the message itself."""
        return <object>self.tree.entry(self.tree.elements[self.at].name).text

    @property
    def value(self):
        """The field's value; None for NULL and for a field with children."""
        return self.tree.value(self.at)

    def parent(self):
        """Return the parent, None at the top."""
        return None if self.at == self.top else self.beside(self.tree.elements[self.at].parent)

    def root(self):
        """Return the message."""
        return self.beside(self.top)

    def children(self, str name not None, Py_ssize_t which=0):
        """Return the children with a name so far; or only one of them, counted from 1."""
        cdef list found = []
        cdef uint32_t wanted = self.tree.own_id(shared_id(name))
        cdef int32_t child = self.tree.elements[self.at].first
        cdef Py_ssize_t passed = 0
        cdef Py_ssize_t matching = 0
        if which == 0 and self.checking is not None and (
            self.at == self.top or self.tree.elements[self.at].parent == self.top
        ):
            return self.of_message(wanted)
        while child:
            passed += 1
            if self.tree.elements[child].name == wanted:
                matching += 1
                if which == 0 or matching == which:
                    found.append(self.beside(child))
                if matching == which:
                    break
            child = self.tree.elements[child].next
        self.tell(passed + STEPS_OF_A_PLACE * len(found))
        return found

    cdef list of_message(self, uint32_t wanted):
        """Return fields of a name of the message or its root element; while there is at most one, the search
        resumes after the last.
        """
        cdef int32_t last = 0
        cdef int32_t match = 0
        cdef list found = []
        cdef Py_ssize_t passed = 1
        cdef tuple key = (self.at, wanted)
        seen = self.checking.seen.get(key)
        if seen is not None:
            last, match = seen
        if match:
            found.append(self.beside(match))
        cdef int32_t child = self.tree.elements[last].next if last else self.tree.elements[self.at].first
        while child:
            passed += 1
            last = child
            if self.tree.elements[child].name == wanted:
                match = child
                found.append(self.beside(child))
            child = self.tree.elements[child].next
        if last and len(found) <= 1:
            self.checking.seen = {**self.checking.seen, key: (last, match)}
        self.tell(passed + STEPS_OF_A_PLACE * len(found))
        return found

    def index(self):
        """Return the index of this field among those of its name, from 1."""
        cdef int count = 1
        cdef Py_ssize_t passed = 0
        cdef int32_t before = self.tree.elements[self.at].previous
        while before:
            count += self.tree.elements[before].name == self.tree.elements[self.at].name
            before = self.tree.elements[before].previous
            passed += 1
        self.tell(passed)
        return count

    cdef ScannedElement beside(self, int32_t at):
        """Return another element of the same message."""
        cdef ScannedElement made = new_scanned_element(self.tree, at, self.top)
        made.checking = self.checking
        return made

    cdef int tell(self, Py_ssize_t passed) except -1:
        if self.checking is not None:
            self.checking.spend(passed)
        return 0


cdef ScannedElement new_scanned_element(Arena tree, int32_t at, int32_t top):
    cdef ScannedElement made = ScannedElement.__new__(ScannedElement)
    made.tree = tree
    made.at, made.top = at, top
    return made

# cython: language_level=3, boundscheck=False, wraparound=False
"""Templates: the elements that every message of a model has, copied as one block instead of appended.

A scanner makes one from the elements of its first message and copies it into the next trees; names, links and
shapes are then right, and only the slices of the values must be set. Shape numbers are never reused, so a
template stays valid as long as the process lives. Links are kept for the folder and the first number of the
last tree, which are nearly always those of the next.
"""

from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from penstock.tree.core._element cimport F_VERBOSE, NONE


cdef class Template:
    """A block of elements below one folder, none with its own value."""

    def __dealloc__(self):
        free(self.elements)

    cdef bint fits(self, Arena tree, int32_t folder) noexcept:
        """Return whether the elements can be copied below a folder that has no children."""
        return (tree.names is None and tree.limits.elements_max - tree.count >= self.count
                and not tree.elements[folder].flags & F_VERBOSE)

    cdef int32_t stamp(self, Arena tree, int32_t folder) except -1:
        """Append the elements below a folder; return the number of the first."""
        cdef int32_t base = tree.count
        while tree.capacity - base < self.count:
            tree.grow()
        if base != self.base or folder != self.folder:
            self.rebase(base, folder)
        memcpy(&tree.elements[base], self.elements, self.count * sizeof(Element))
        tree.count = base + self.count
        tree.elements[folder].first = self.first
        tree.elements[folder].last = self.last
        tree.elements[folder].shape = self.shape
        return base

    cdef int rebase(self, int32_t base, int32_t folder) noexcept:
        """Adjust the links for another tree."""
        cdef int32_t distance = base - self.base
        cdef int32_t i
        cdef Element *element
        for i in range(self.count):
            element = &self.elements[i]
            element.parent = folder if element.parent == self.folder else element.parent + distance
            element.first += distance if element.first else 0
            element.last += distance if element.last else 0
            element.next += distance if element.next else 0
            element.previous += distance if element.previous else 0
        self.first += distance
        self.last += distance
        self.base = base
        self.folder = folder
        return 0

    cdef int cut(self, Arena tree, int32_t folder, int32_t kept) noexcept:
        """Keep only this many of the elements just copied; all of them are children of the folder."""
        cdef int32_t base = tree.count - self.count
        if kept == self.count:
            return 0
        tree.elements[folder].shape = tree.elements[base + kept].before
        tree.elements[folder].last = base + kept - 1 if kept else NONE
        if kept:
            tree.elements[base + kept - 1].next = NONE
        else:
            tree.elements[folder].first = NONE
        tree.count = base + kept
        return 0


cdef Template template_of(Arena tree, int32_t folder, int32_t base):
    """Return the template of the elements from a number on, all below a folder; None if it cannot be one."""
    cdef int32_t i, count = tree.count - base
    cdef Template made
    if not 0 < count <= TEMPLATE_ELEMENTS_MAX or tree.names is not None or tree.elements[folder].flags & F_VERBOSE:
        return None
    for i in range(base, tree.count):
        if tree.elements[i].value != NULL:
            return None
    made = Template.__new__(Template)
    made.elements = <Element *>malloc(count * sizeof(Element))
    if made.elements == NULL:
        raise MemoryError
    memcpy(made.elements, &tree.elements[base], count * sizeof(Element))
    made.count = count
    made.base, made.folder = base, folder
    made.first, made.last = tree.elements[folder].first, tree.elements[folder].last
    made.shape = tree.elements[folder].shape
    return made

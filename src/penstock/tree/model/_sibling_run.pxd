"""Declarations of the siblings that a group of a model is written from."""

from libc.stdint cimport int32_t

from penstock.tree.core._arena cimport Arena
from penstock.tree.model._part cimport Part, SHARED

cdef struct SiblingRun:  # the siblings that a group is written from
    int32_t above  # -1 if there are none
    int32_t first, at, end  # `at` is the next to be written, `end` the first of those that are not the group's
    int32_t stop  # the first that the part being written leaves to others of its name; else `end`
    int32_t ahead  # where the search for the next part starts if this one was further back, else -1

cdef int note_sharing(Part owner) except -1
cdef SiblingRun children_of(Arena tree, int32_t above) noexcept
cdef SiblingRun nothing() noexcept
cdef bint group_follows(Arena tree, SiblingRun *siblings, Part group, bint again) noexcept
cdef SiblingRun next_group(Arena tree, SiblingRun *siblings, Part group) except *
cdef int32_t next_field(Arena tree, SiblingRun *siblings, Part part, bint again) noexcept
cdef SiblingRun sibling_run(int32_t above, int32_t first, int32_t end) noexcept
cdef int32_t first_of(Arena tree, SiblingRun *siblings, Part group) noexcept
cdef bint has_too_many(Arena tree, SiblingRun *siblings, Part part) noexcept
cdef bint holds_any(Arena tree, SiblingRun *siblings, Part part) noexcept
cdef int note_shared_origin(Arena tree, int32_t at, Part part) except -1
cdef int32_t begin_loose(SiblingRun *siblings) noexcept
cdef list untold_parts(Arena tree, SiblingRun *siblings, Part group, int loose)
cdef Part loose_part(Arena tree, int32_t at, Part group, int loose)
cdef bint is_later(Arena tree, int32_t at, Part group, int loose) noexcept
cdef int32_t end_of_loose(Arena tree, SiblingRun *siblings, Part group, int loose, list untold) except -1
cdef bint belongs(Arena tree, int32_t at, Part part) noexcept

cdef inline bint is_next(Arena tree, SiblingRun *siblings, Part part) noexcept:
    """Return whether the next element is the one that `next_field` returns for a part that occurs once."""
    return (siblings.at != siblings.end and tree.elements[siblings.at].name == part.name_id
            and part.sharing != SHARED and siblings.ahead < 0)

"""Declarations of the siblings that a group of a model is written from."""

from libc.stdint cimport int32_t

from penstock.tree._arena cimport Arena
from penstock.tree._part cimport Part

cdef struct Stretch:  # the siblings that a group is written from
    int32_t above  # -1 if there are none
    int32_t first, at, end  # `at` is the next to be written, `end` the first of those that are not the group's
    int32_t stop  # the first that the part being written leaves to others of its name; else `end`
    int32_t ahead  # where the next part is looked for if this one stood further back, else -1

cdef int note_sharing(Part owner) except -1
cdef Stretch children_of(Arena tree, int32_t above) noexcept
cdef Stretch nothing() noexcept
cdef bint group_follows(Arena tree, Stretch *stretch, Part group, bint again) noexcept
cdef Stretch next_group(Arena tree, Stretch *stretch, Part group) except *
cdef int32_t next_field(Arena tree, Stretch *stretch, Part part, bint again) noexcept
cdef Stretch stretch_of(int32_t above, int32_t first, int32_t end) noexcept
cdef int32_t first_of(Arena tree, Stretch *stretch, Part group) noexcept
cdef bint has_too_many(Arena tree, Stretch *stretch, Part part) noexcept
cdef bint holds_any(Arena tree, Stretch *stretch, Part part) noexcept
cdef int note_shared_origin(Arena tree, int32_t at, Part part) except -1
cdef int32_t begin_loose(Stretch *stretch) noexcept
cdef list untold_parts(Arena tree, Stretch *stretch, Part group, int loose)
cdef Part loose_part(Arena tree, int32_t at, Part group, int loose)
cdef bint is_later(Arena tree, int32_t at, Part group, int loose) noexcept
cdef int32_t end_of_loose(Arena tree, Stretch *stretch, Part group, int loose, list untold) except -1
cdef bint belongs(Arena tree, int32_t at, Part part) noexcept

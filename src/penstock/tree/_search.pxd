"""Declarations of the search for fields."""

from libc.stdint cimport int32_t

from penstock.tree._arena cimport Arena
from penstock.tree._element cimport Element, R_ATTRIBUTE, R_NAMESPACE
from penstock.tree._path cimport ANY_NAME, ANY_NAMESPACE, ONLY_ATTRIBUTE, Path, StepRule

cdef inline bint matches(Element *element, StepRule *rule) noexcept:
    return ((element.name == rule.name or rule.match & ANY_NAME)
            and (element.namespace_ == rule.namespace_ or rule.match & ANY_NAMESPACE)
            and (not rule.match & ONLY_ATTRIBUTE or element.role == R_ATTRIBUTE or element.role == R_NAMESPACE))

cdef int32_t walk(Arena tree, int32_t at, Path path) except -1
cdef int32_t walk_at(Arena tree, int32_t at, Path path, object indexes) except -1
cdef int32_t make(Arena tree, int32_t at, Path path, object indexes) except -1
cdef int32_t create(Arena tree, int32_t parent, Path path, int i) except -1
cdef int32_t walk_from(Arena tree, int32_t at, Path path, int count, object indexes) except -1
cdef int32_t cardinality(Arena tree, int32_t at, Path path, object indexes) except -1
cdef int32_t first_child(Arena tree, int32_t at, StepRule *rule) noexcept
cdef int32_t last_child(Arena tree, int32_t at, StepRule *rule) noexcept
cdef int32_t sibling(Arena tree, int32_t at, StepRule *rule, bint forward) noexcept
cdef StepRule own_rule(Arena tree, StepRule *rule) noexcept

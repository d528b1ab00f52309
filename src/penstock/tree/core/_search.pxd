"""Declarations of the search for fields."""

from libc.stdint cimport int32_t, uint32_t

from penstock.tree.core._arena cimport Arena
from penstock.tree.core._element cimport Element, R_ARRAY, R_ATTRIBUTE, R_CDATA, R_ELEMENT, R_NAMESPACE, R_TEXT
from penstock.tree.core._path cimport ANY_NAME, ANY_NAMESPACE, ONLY_ATTRIBUTE, ONLY_TYPE, Path, StepRule
from penstock.tree.core._types cimport T_NAMESPACE, T_SINGLE_NAMESPACE

cdef inline bint type_matches(Element *element, uint32_t type_) noexcept:
    """Return whether an element has a type, or one of the kind if the type is generic.

    Field is an element with plain text or CDATA, an attribute is one in either kind of quotation mark.
    """
    if element.type == type_:
        return True
    if type_ == T_NAMESPACE or type_ == T_SINGLE_NAMESPACE:
        return element.role == R_NAMESPACE
    return (type_ & 0xFFFFFF == 0 and element.type & <uint32_t>0xFF000000 == type_
            and (element.role == R_ELEMENT or element.role == R_TEXT or element.role == R_CDATA or element.role == R_ARRAY))

cdef inline bint matches(Element *element, StepRule *rule) noexcept:
    return ((element.name == rule.name or rule.match & ANY_NAME)
            and (element.namespace_ == rule.namespace_ or rule.match & ANY_NAMESPACE)
            and (not rule.match & ONLY_ATTRIBUTE or element.role == R_ATTRIBUTE or element.role == R_NAMESPACE)
            and (not rule.match & ONLY_TYPE or type_matches(element, rule.type)))

cdef int32_t walk(Arena tree, int32_t at, Path path) except -1
cdef int32_t find(Arena tree, int32_t at, Path path, object indexes) except -1
cdef int32_t make(Arena tree, int32_t at, Path path, object indexes) except -1
cdef int32_t create(Arena tree, int32_t parent, Path path, int i) except -1
cdef int32_t walk_from(Arena tree, int32_t at, Path path, int count, object indexes) except -1
cdef int32_t make_like(Arena tree, int32_t at, Path path, object indexes, Arena source, int32_t origin) except -1
cdef int32_t cardinality(Arena tree, int32_t at, Path path, object indexes) except -1
cdef int32_t first_child(Arena tree, int32_t at, StepRule *rule) noexcept
cdef int32_t last_child(Arena tree, int32_t at, StepRule *rule) noexcept
cdef int32_t sibling(Arena tree, int32_t at, StepRule *rule, bint forward) noexcept
cdef StepRule own_rule(Arena tree, StepRule *rule) noexcept

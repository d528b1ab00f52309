# cython: language_level=3, boundscheck=False, wraparound=False
"""Changes of one existing field: value, name, namespace, type.

`Message` and `Reference` find the field, these change it. Values have passed `plain` before.
"""

from libc.stdint cimport uint8_t, uint16_t

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree.core._element cimport (
    DETACHED, F_ATTRIBUTES, F_UNPARSED, F_VERBOSE, R_ATTRIBUTE, R_NAMESPACE, R_TEXT,
)
from penstock.tree.core._types cimport T_NAME, T_NAME_VALUE, role_of


cdef int replace(Arena tree, int32_t at, object value) except -1:
    """Set the value of an element and delete its children."""
    if at == 0:
        raise error(mq.PSRC_TREE_STRUCTURE, "the root has no value")
    if tree.elements[at].flags & F_UNPARSED:
        tree.elements[at].flags &= ~<uint16_t>F_UNPARSED
    if tree.elements[at].first:
        tree.remove_children(at)
    tree.put_value(at, value)
    if tree.elements[at].type == T_NAME and not tree.elements[at].flags & F_VERBOSE:
        tree.elements[at].type = T_NAME_VALUE
    return tree.mark(at)


cdef int change_value(Arena tree, int32_t at, object value) except -1:
    """Set the value of an element; in a verbose domain that is the value of its first text."""
    cdef int32_t child
    if at == 0:
        raise error(mq.PSRC_TREE_STRUCTURE, "the root has no value")
    if tree.elements[at].flags & F_UNPARSED and at == tree.folder and tree.form.valued:
        tree.parse_folder(at)  # the value from the source would replace this one later
    if tree.elements[at].flags & F_VERBOSE:
        child = tree.elements[at].first
        while child:
            if tree.elements[child].role == R_TEXT:
                tree.put_value(child, value)
                return tree.mark(child)
            child = tree.elements[child].next
    tree.put_value(at, value)
    if tree.elements[at].type == T_NAME and not tree.elements[at].flags & F_VERBOSE:
        tree.elements[at].type = T_NAME_VALUE
    return tree.mark(at)


cdef int change_name(Arena tree, int32_t at, uint32_t name, uint32_t namespace_) except -1:
    """Rename an element; the known order of its siblings is forgotten."""
    if at == 0:
        raise error(mq.PSRC_TREE_STRUCTURE, "the root keeps its name")
    tree.elements[at].name = name
    tree.elements[at].namespace_ = namespace_
    if tree.elements[at].parent != DETACHED:
        tree.reshape(tree.elements[at].parent)
    return tree.mark(at)


cdef int change_type(Arena tree, int32_t at, uint32_t type_) except -1:
    """Set the field type of an element, and with it the role of the type in its domain."""
    cdef int role
    cdef int32_t parent = tree.elements[at].parent
    if at == 0:
        raise error(mq.PSRC_TREE_STRUCTURE, "the root keeps its type")
    role = role_of(type_, tree.elements[at].flags & F_VERBOSE)
    tree.elements[at].type = type_
    tree.elements[at].role = <uint8_t>role
    if parent != DETACHED:
        if role == R_ATTRIBUTE or role == R_NAMESPACE:
            tree.elements[parent].flags |= F_ATTRIBUTES
        tree.reshape(parent)
    return tree.mark(at)

# cython: language_level=3, boundscheck=False, wraparound=False
"""Paths: the location of a field, prepared once and used for every message.

A path remembers where each step was found last time; the search verifies that before using it. Paths are
values: their meaning never changes, and threads may share them. Searching is in `_search`, the grammar of
steps here.
"""

from dataclasses import dataclass

from libc.stdlib cimport calloc, free

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.tree.core._names cimport shared_id
from penstock.tree.core._types cimport T_ATTRIBUTE

STEPS_MAX = 1000
INDEX_MAX = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a path in full form: for field types, and names that begin with `@` or `{` or are `*`.

    None as name or namespace matches any. `index` counts from 1, or from the end if negative; `...` is filled
    in by the call (`get_at`). A `type` is given to a created field; it matches itself, and a generic one
    (Folder, Field, Value ...) matches all elements or texts of that kind, but not attributes.
    """

    name: str | None
    namespace: str | None = ""
    index: object = None
    attribute: bool = False
    type: int | None = None


cdef object _step(object given):
    if isinstance(given, Step):
        return given
    index = None
    if isinstance(given, tuple):
        if len(given) != 2:
            raise error(mq.PSRC_PATH_ERROR, f"a step is a name or (name, index), not {given!r}")
        given, index = given
    if not isinstance(given, str):
        raise error(mq.PSRC_PATH_ERROR, f"a step is a name or (name, index), not {given!r}")
    name = given
    attribute = name.startswith("@")
    if attribute:
        name = name[1:]
    namespace = ""
    if name.startswith("{"):
        namespace, closed, name = name[1:].partition("}")
        if not closed:
            raise error(mq.PSRC_PATH_ERROR, f"step {given!r} has no }} behind its namespace")
        if namespace == "*":
            namespace = None
    elif name == "*":
        namespace = None
    if not name:
        raise error(mq.PSRC_PATH_ERROR, f"step {given!r} has no name")
    return Step(None if name == "*" else name, namespace, index, attribute)


cdef int32_t _index(object index) except? 0:
    if index is None:
        return 0
    if index is ...:
        return OPEN_INDEX
    if isinstance(index, bool) or not isinstance(index, int) or index == 0 or abs(index) > INDEX_MAX:
        raise error(mq.PSRC_PATH_ERROR, f"an index is 1, 2 ... or -1, -2 ... from the end, not {index!r}")
    return index


cdef uint32_t _type(object step) except? 0:
    type_ = step.type
    if type_ is None:
        return 0
    if isinstance(type_, bool) or not isinstance(type_, int) or not 0 < type_ < 2**32:
        raise error(mq.PSRC_PATH_ERROR, f"a field type is a number of 32 bits, not {type_!r}")
    return type_


cdef class Path:
    """The path to a field: `Path("XMLNSC", "Order", ("Item", 2), "{urn:x}Price", "@currency")`.

    A step is a name, (name, index), "{namespace}name", "@attribute", "*" for any name, "{*}name" for any
    namespace, or a `Step`. A name without a namespace matches fields of no namespace.
    """

    def __cinit__(self, *steps):
        if len(steps) > STEPS_MAX:
            raise error(mq.PSRC_PATH_ERROR, f"a path has at most {STEPS_MAX} steps")
        self.rules = <StepRule *>calloc(len(steps) + 1, sizeof(StepRule))
        if self.rules == NULL:
            raise MemoryError
        made = []
        cdef StepRule *rule
        for given in steps:
            step = _step(given)
            rule = &self.rules[self.count]
            rule.index = _index(step.index)
            rule.name = 0 if step.name is None else shared_id(step.name)
            rule.namespace_ = 0 if step.namespace is None else shared_id(step.namespace)
            rule.type = _type(step)
            rule.match = ((ANY_NAME if step.name is None else 0) | (ANY_NAMESPACE if step.namespace is None else 0)
                          | (ONLY_ATTRIBUTE if step.attribute or rule.type == T_ATTRIBUTE
                             else ONLY_TYPE if rule.type else 0))
            if rule.index == OPEN_INDEX:
                self.open_count += 1
            self.count += 1
            made.append(step)
        self.steps = tuple(made)

    def __dealloc__(self):
        free(self.rules)

    def __eq__(self, other):
        return isinstance(other, Path) and self.steps == (<Path>other).steps

    def __hash__(self):
        return hash(self.steps)

    def __len__(self):
        return self.count

    def __truediv__(self, step):
        """Return this path with one more step, or the steps of another path."""
        if isinstance(step, Path):
            return Path(*self.steps, *(<Path>step).steps)
        return Path(*self.steps, step)

    def __repr__(self):
        return f"Path({', '.join(_shown(step) for step in self.steps)})"

    def __reduce__(self):
        return Path, self.steps


cdef str _shown(step):
    name = "*" if step.name is None else step.name
    if step.namespace is None and step.name is not None:
        name = "{*}" + name
    elif step.namespace:
        name = f"{{{step.namespace}}}{name}"
    if step.attribute:
        name = "@" + name
    shown = repr(name)
    try:
        plain = step.type is None and _step(name) == Step(step.name, step.namespace, None, step.attribute)
    except MQError:
        plain = False
    if not plain:
        return repr(step)
    if step.index is None:
        return shown
    return f"({shown}, {'...' if step.index is ... else step.index})"

"""Makes message_batch a compiled module: the outputs of flows go through it."""

cimport cython
from penstock.model.message cimport Message, is_watched, plain_message


@cython.locals(message=Message, index=Py_ssize_t)
cpdef Py_ssize_t too_long(list part, Py_ssize_t maximum) except -2

@cython.locals(message=Message)
cpdef dict pack(list outputs)

@cython.locals(message=Message, target=Py_ssize_t, descriptor=Py_ssize_t)
cpdef list unpack(targets, descriptors, rows)

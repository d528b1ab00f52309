cimport cython

from penstock.model.message cimport Message, is_watched, plain_message


@cython.locals(inner=Message)
cpdef tuple original(Message message, double now)

@cython.locals(inner=Message)
cdef Message _inner(Message message, object onward)

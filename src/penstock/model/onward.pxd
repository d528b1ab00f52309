cimport cython

from penstock.model.message cimport Message, plain_message


@cython.locals(inner=Message)
cpdef tuple original(Message message, double now)

@cython.locals(inner=Message)
cdef Message _inner(Message message, object onward)

cimport cython

from penstock.model.message cimport Message, is_watched, plain_message


cdef class Onward:
    cdef public str queue
    cdef public str qmgr
    cdef public object descriptor
    cdef public bytes correl_id
    cdef public double put_time
    cdef public int hops
    cdef public bytes msg_id
    cdef public int bind


@cython.locals(inner=Message, onward=Onward)
cpdef tuple original(Message message, double now)

@cython.locals(inner=Message)
cdef Message _inner(Message message, Onward onward)

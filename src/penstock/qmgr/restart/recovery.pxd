cimport cython

from penstock.model.message cimport Message
from penstock.qmgr.queue cimport Queue
from penstock.qmgr.deep.shelves cimport Shelves

cdef int GONE, GOT, PREPARED, UNCOMMITTED


cdef class Recovery:
    cdef public object engine
    cdef public object report
    cdef public long long start
    cdef public dict live
    cdef public dict owner
    cdef public dict order
    cdef public dict places
    cdef public dict units
    cdef public object clean
    cdef public Shelves shelves

    @cython.locals(message=Message, messages=list, count=cython.longlong, last_place=cython.longlong, shelves=Shelves)
    cpdef load(self, object stored)
    cpdef _put(self, object payload)
    @cython.locals(known=Message)
    cpdef _arrived(self, Message message, object queue_id, object number)
    @cython.locals(message=Message)
    cpdef _publication(self, object payload, Py_ssize_t groups, Py_ssize_t place)
    @cython.locals(known=Message, queue=Queue)
    cpdef show(self, Message message, object queue_id)
    @cython.locals(message=Message)
    cpdef remove(self, object seq)
    @cython.locals(message=Message)
    cpdef _link_all(self, Queue queue, list messages)
    @cython.locals(place=cython.longlong)
    cpdef _link(self, Queue queue, Message message)

cimport cython

from penstock.model.message cimport Message
from penstock.qmgr.queue cimport Lane, Queue

cdef int AVAILABLE, GONE, PACKED
cdef Py_ssize_t BODY_BYTES_MAX, MESSAGE_BYTES
cdef tuple NEVER_PACKED


cpdef bint pack_available(Queue queue, Message message, list full) except -1
cdef bint _may_be_packed(Queue queue, Message message) except -1
cpdef bint is_plain(Queue queue, Message message) except -1
cpdef bint pack(Queue queue, Message message, list full) except -1
cdef object _entry_for(Lane lane, Message message)
cdef object _append(object block, Message message)
@cython.locals(lane=Lane, older=Message, newer=Message)
cdef bint _stand_for(Queue queue, Message message, object block, Py_ssize_t position) except -1
@cython.locals(lane=Lane)
cpdef bint bring_in(Queue queue, object block, Py_ssize_t position, Message message) except -1

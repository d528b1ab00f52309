from penstock.model.message cimport Message

cdef int _ASYNC_PUTS, _READS_AHEAD


cdef class QueueHints:
    cdef public dict quiet
    cdef public dict ahead

    cpdef void note_put(self, str queue, int flags) except *
    cpdef bint puts_quietly(self, str queue) except -1
    cpdef void note_get(self, str queue, int flags, bint in_unit) except *
    cpdef Message take(self, str queue, bytes correl_id, bytes msg_id)

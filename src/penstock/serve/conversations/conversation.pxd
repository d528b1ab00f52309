cimport cython

from penstock.face._clock cimport now as clock
from penstock.host.queue_manager cimport QueueManager
from penstock.protocol._frames cimport Frame
from penstock.serve.conversations.remote_gets cimport RemoteGets
from penstock.serve.conversations.remote_puts cimport RemotePuts
from penstock.serve.conversations.remote_units cimport RemoteUnits
from penstock.serve.conversations.replies cimport Replies
from penstock.serve.send_buffer cimport SendBuffer
from penstock.serve.server cimport Server

cdef int _CALL, _CHAINED, _COMMIT, _GET, _GET_MANY, _NO_REPLY, _PUT, _PUT_MANY
cdef Py_ssize_t _LARGE_BYTES


cdef class Conversation:
    cdef readonly SendBuffer link
    cdef readonly Server server
    cdef readonly int number
    cdef readonly QueueManager qm
    cdef readonly dict names
    cdef readonly Replies replies
    cdef readonly RemoteUnits units
    cdef readonly RemotePuts puts
    cdef readonly RemoteGets gets
    cdef public dict handles
    cdef public int next_handle
    cdef public int working
    cdef public dict calls

    @cython.locals(kind=cython.int)
    cpdef void handle(self, Frame frame) except *
    cpdef long long end(self, bint commit) except? -1

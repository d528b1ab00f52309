from penstock.model._interrupts cimport python_follows
from penstock.model.message cimport Message
from penstock.qmgr.queue cimport Queue


cdef class Subscription:
    # the fields that a publication uses come first, in few cache lines
    cdef public Queue queue
    cdef public bytes correl_id
    cdef public str user
    cdef public bint plain
    cdef public bint dressed
    cdef public int priority
    cdef public double last_message
    cdef public long long count

    cdef public object definition
    cdef public object pattern
    cdef public bytes id
    cdef public object route
    cdef public bint managed
    cdef public bint durable
    cdef public bytes token
    cdef public str identity_data
    cdef public str persistence
    cdef public bint grouped
    cdef public int level
    cdef public object selector
    cdef public str properties
    cdef public str user_data
    cdef public bint on_request
    cdef public double expires_at
    cdef public bint removed
    cdef public object connection
    cdef public object handle
    cdef public double resumed
    cdef public bint proxy
    cdef public str neighbour
    cdef public object sent

    cpdef bint wants(self, Message message, double now, object evaluations=*) except -1

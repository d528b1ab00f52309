"""Makes ports a compiled module: all that a flow puts goes through it."""

cimport cython
from penstock.model.message cimport Message, Receipt, plain_receipt


cdef class PendingPut:
    cdef readonly str queue, qmgr, topic
    cdef readonly Message message
    cdef readonly object options
    cdef readonly bint retain, persistence_of_queue, in_unit


cdef class Ports:
    cdef public object clock, make_uuid, randomness, records, request, spans
    cdef public str queue_manager_name
    cdef public bint pauses
    cpdef put(self, str queue, Message message, str qmgr=*, options=*, bint in_unit=*, bint persistence_of_queue=*)
    cpdef moment(self)


cdef class CollectingPorts(Ports):
    cdef public list outputs
    @cython.locals(made=PendingPut)
    cpdef put(self, str queue, Message message, str qmgr=*, options=*, bint in_unit=*, bint persistence_of_queue=*)
    cpdef tuple mark(self)
    cpdef revert(self, tuple mark)


@cython.locals(output=PendingPut)
cpdef list plain_puts(list outputs)

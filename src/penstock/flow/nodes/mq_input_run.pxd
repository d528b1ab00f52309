"""Makes mq_input_run a compiled module: every message of a queue enters a flow there."""

cimport cython
from penstock.flow.assembly cimport Assembly, Invocation, assembled, begun
from penstock.flow.ports cimport Ports
from penstock.flow.processing cimport forward
from penstock.model.message cimport Message as QueueMessage
from penstock.tree.assembly cimport Reader


cdef class QueueInput:
    cdef readonly object node, at, out, catch, failure
    cdef readonly Ports ports
    cdef Reader reader
    cdef readonly str kind
    cdef bint always, by_message, as_it_comes
    cpdef bint in_unit(self, QueueMessage message) except -1

    @cython.locals(invocation=Invocation, in_unit=bint)
    cpdef attempt(self, QueueMessage message)
    cdef parsed(self, QueueMessage message, bint in_unit)

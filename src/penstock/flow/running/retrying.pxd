"""Makes trying a compiled module: every message of a batch goes through it."""

cimport cython
from penstock.flow.ports cimport CollectingPorts
from penstock.flow.nodes.mq_input_run cimport QueueInput
from penstock.model.message cimport Message


cdef class Trying:
    cdef readonly QueueInput started
    cdef readonly str queue
    cdef readonly CollectingPorts ports
    cdef readonly object rules, tally
    cpdef run(self, Message message)
    @cython.locals(message=Message)
    cpdef run_all(self, list messages)


@cython.locals(message=Message)
cpdef bint are_fresh(list messages) except -1

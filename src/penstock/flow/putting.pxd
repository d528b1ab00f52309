"""Makes putting a compiled module: most messages of a flow end there."""

cimport cython
from penstock.flow.assembly cimport Assembly, Invocation
from penstock.model.message cimport Message as QueueMessage


cdef class Putting:
    cdef object rules, options
    cdef str queue, qmgr
    cdef bint automatic, always, by_queue, as_it_is

    @cython.locals(invocation=Invocation, message=QueueMessage, source=QueueMessage, in_unit=bint, by_queue=bint)
    cdef process(self, Assembly assembly)

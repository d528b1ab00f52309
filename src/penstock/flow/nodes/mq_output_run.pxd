"""Makes putting a compiled module: most messages of a flow end there."""

cimport cython
from penstock.flow.assembly cimport Assembly, Invocation
from penstock.flow.ports cimport Ports
from penstock.flow.processing cimport Processing
from penstock.model.message cimport Message as QueueMessage
from penstock.tree.assembly cimport serialise_message


cdef class Putting(Processing):
    cdef object rules, options
    cdef str queue, qmgr
    cdef bint automatic, always, by_queue, as_it_is

    @cython.locals(invocation=Invocation, message=QueueMessage, source=QueueMessage, in_unit=bint, ports=Ports, by_queue=bint)
    cdef process(self, Assembly assembly)

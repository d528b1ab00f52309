from penstock.host._gate cimport now as clock
from penstock.host.messaging cimport Messaging


cdef class QueueManager(Messaging):
    cdef object _closing

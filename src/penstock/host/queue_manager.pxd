from penstock.face._clock cimport now as clock
from penstock.host.messaging cimport Messaging


cdef class QueueManager(Messaging):
    cdef object _closing

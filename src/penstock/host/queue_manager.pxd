from penstock.host._gate cimport now as clock
from penstock.host.publishing cimport Publishing
from penstock.model.message cimport plain_receipt


cdef class QueueManager(Publishing):
    cdef object _closing

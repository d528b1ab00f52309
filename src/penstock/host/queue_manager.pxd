from penstock.host._gate cimport now as clock
from penstock.host.short_way cimport ShortWay
from penstock.model.message cimport plain_receipt


cdef class QueueManager(ShortWay):
    cdef object _closing

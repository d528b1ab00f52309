cimport cython

from penstock.face._clock cimport now as clock
from penstock.face.receiving cimport Receiving
from penstock.host._gate cimport Gate
from penstock.host.publishing cimport Topics
from penstock.host.session cimport Session
from penstock.model.message cimport Message, plain_receipt
from penstock.qmgr.core cimport Core


cdef class QueueManager(Receiving):
    cdef readonly Session session
    cdef readonly Topics topics
    cdef public object host
    cdef public Core engine
    cdef public Gate gate
    cdef public str name
    cdef public object connection
    cdef readonly object closing
    cdef object __weakref__

    cdef Message _put_plain(self, str queue, bytes body, object persistent, bytes correl_id, bytes msg_id, dict properties)

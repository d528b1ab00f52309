from libc.stdint cimport uint32_t

from penstock.face.receiving cimport Receiving
from penstock.client._link cimport ClientLink
from penstock.client.returned_messages cimport Kept


cdef class ClientConnection(Receiving):
    cdef public ClientLink link
    cdef public str name
    cdef public object target
    cdef public uint32_t conversation
    cdef public object scopes
    cdef public Py_ssize_t open_scopes
    cdef public uint32_t next_unit
    cdef public bint closed
    cdef public Py_ssize_t message_max
    cdef public double timeout
    cdef public Kept kept
    cdef public object sampler
    cdef object __weakref__

    cpdef uint32_t unit_number(self) except? 0xFFFFFFFF
    cpdef double patience(self, object wait) except? -2

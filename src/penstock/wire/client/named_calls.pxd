from penstock.wire.client.connection cimport ClientConnection


cdef class NamedCalls(ClientConnection):
    pass

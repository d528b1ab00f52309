from penstock.client.connection cimport ClientConnection


cdef class NamedCalls(ClientConnection):
    pass

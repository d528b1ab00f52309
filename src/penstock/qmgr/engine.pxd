from penstock.qmgr.core cimport Core


cdef class Engine(Core):
    cdef public object reservations
    cdef public long long next_connection
    cdef public object publisher
    cdef object __weakref__

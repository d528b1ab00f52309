from penstock.qmgr.core cimport Core


cdef class Engine(Core):
    cdef public object reservations
    cdef public object sync_book
    cdef public object clusters
    cdef public object in_doubt
    cdef public long long next_connection
    cdef public object pubsub
    cdef public object content_filters
    cdef public object runtime
    cdef public object group
    cdef public object host_facts
    cdef public object media_logs
    cdef public object access
    cdef public str state
    cdef public str incarnation
    cdef public long long seed
    cdef public object calls
    cdef object __weakref__

from penstock.host.queue_manager cimport QueueManager


cdef class RemoteConnection(QueueManager):
    cdef unsigned long _loop_thread
    cdef public long long reached
    cdef public object scan

    cpdef void finish(self, long long position) except *

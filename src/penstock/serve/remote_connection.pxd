from penstock.host.queue_manager cimport QueueManager


cdef class RemoteConnection(QueueManager):
    cdef unsigned long _loop_thread
    cdef public long long reached

    cpdef void finish(self, long long position) except *

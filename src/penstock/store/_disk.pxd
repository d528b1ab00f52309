from libc.stdint cimport int64_t, uint64_t
from posix.types cimport off_t

cdef extern from "<pthread.h>" nogil:
    ctypedef struct pthread_mutex_t:
        pass
    ctypedef struct pthread_cond_t:
        pass
    ctypedef unsigned long pthread_t
    int pthread_mutex_init(pthread_mutex_t *, void *)
    int pthread_mutex_lock(pthread_mutex_t *)
    int pthread_mutex_unlock(pthread_mutex_t *)
    int pthread_mutex_destroy(pthread_mutex_t *)


cdef struct Unsynced:
    int fd
    uint64_t inode
    off_t offset
    size_t length
    off_t size_before
    char *before
    Unsynced *older


cdef struct Plan:
    pthread_mutex_t lock
    int64_t operations
    int64_t stop_at
    int64_t tear_bytes
    int lose
    int error
    int lasting
    int frozen
    Unsynced *unsynced


cdef int guarded_write(Plan *plan, int fd, const char *data, size_t length, off_t offset) noexcept nogil
cdef int guarded_sync(Plan *plan, int fd) noexcept nogil
cdef int guarded_step(Plan *plan) noexcept nogil
cdef Plan *plan_of(object faults) except? NULL


cdef class Faults:
    cdef Plan plan

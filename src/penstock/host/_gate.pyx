# cython: language_level=3
"""The engine lock: the cheapest lock there is that lets other threads run while it waits.

Held for microseconds around engine calls, never across a wait, a read or a write.
"""

cdef extern from "<pthread.h>" nogil:
    int pthread_mutex_init(pthread_mutex_t *mutex, void *attributes)
    int pthread_mutex_destroy(pthread_mutex_t *mutex)
    int pthread_mutex_lock(pthread_mutex_t *mutex)
    int pthread_mutex_trylock(pthread_mutex_t *mutex)
    int pthread_mutex_unlock(pthread_mutex_t *mutex)


cdef extern from "<time.h>" nogil:
    cdef struct timespec:
        long tv_sec
        long tv_nsec
    int clock_gettime(int clock, timespec *moment)
    int CLOCK_REALTIME
    int CLOCK_REALTIME_COARSE


cpdef double recently() noexcept:
    """Return the time of the last clock tick, some milliseconds ago: the cheapest time there is."""
    cdef timespec moment
    clock_gettime(CLOCK_REALTIME_COARSE, &moment)
    return moment.tv_sec + moment.tv_nsec * 1e-9


cpdef double now() noexcept:
    """Return the time in seconds since the epoch, as `time.time` does."""
    cdef timespec moment
    clock_gettime(CLOCK_REALTIME, &moment)
    return moment.tv_sec + moment.tv_nsec * 1e-9


cdef class Gate:
    """A lock for `with`; not reentrant. `closed` says that nobody should ask the engine any more."""

    def __cinit__(self):
        self.closed = False
        if pthread_mutex_init(&self.mutex, NULL):
            raise MemoryError()

    def __dealloc__(self):
        pthread_mutex_destroy(&self.mutex)

    cpdef void acquire(self) noexcept:
        if pthread_mutex_trylock(&self.mutex):
            with nogil:
                pthread_mutex_lock(&self.mutex)

    cpdef bint try_acquire(self) noexcept:
        return pthread_mutex_trylock(&self.mutex) == 0

    cpdef void release(self) noexcept:
        pthread_mutex_unlock(&self.mutex)

    def __enter__(self):
        self.acquire()
        return self

    def __exit__(self, *exc):
        self.release()

# cython: language_level=3
"""The engine lock: the cheapest lock there is that lets other threads run while it waits.

Held for microseconds around engine calls, never across a wait, a read or a write.
"""

from cpython.pythread cimport (
    NOWAIT_LOCK,
    WAIT_LOCK,
    PyThread_acquire_lock,
    PyThread_allocate_lock,
    PyThread_free_lock,
    PyThread_release_lock,
    PyThread_type_lock,
)


cdef extern from "<time.h>" nogil:
    cdef struct timespec:
        long tv_sec
        long tv_nsec
    int clock_gettime(int clock, timespec *moment)
    int CLOCK_REALTIME


cpdef double now() noexcept:
    """Return the time in seconds since the epoch, as `time.time` does."""
    cdef timespec moment
    clock_gettime(CLOCK_REALTIME, &moment)
    return moment.tv_sec + moment.tv_nsec * 1e-9


cdef class Gate:
    """A lock for `with`; not reentrant. `closed` says that nobody should ask the engine any more."""

    def __cinit__(self):
        self.closed = False
        self.lock = PyThread_allocate_lock()
        if self.lock is NULL:
            raise MemoryError()

    def __dealloc__(self):
        if self.lock is not NULL:
            PyThread_free_lock(self.lock)

    cpdef void acquire(self) noexcept:
        if not PyThread_acquire_lock(self.lock, NOWAIT_LOCK):
            with nogil:
                PyThread_acquire_lock(self.lock, WAIT_LOCK)

    cpdef void release(self) noexcept:
        PyThread_release_lock(self.lock)

    def __enter__(self):
        self.acquire()
        return self

    def __exit__(self, *exc):
        self.release()
        return False

# cython: language_level=3
"""The engine lock: the cheapest lock there is that lets other threads run while it waits.

Held for microseconds around engine calls, never across a wait, a read or a write. `with gate` holds signal handlers
back; code that takes it by `enter` or `acquire` is compiled and calls Python functions only where the engine allows it.
"""

from penstock.model._interrupts cimport begin, end, engine_entered, engine_left

cdef extern from "<pthread.h>" nogil:
    int pthread_mutex_init(pthread_mutex_t *mutex, void *attributes)
    int pthread_mutex_destroy(pthread_mutex_t *mutex)
    int pthread_mutex_lock(pthread_mutex_t *mutex)
    int pthread_mutex_trylock(pthread_mutex_t *mutex)
    int pthread_mutex_unlock(pthread_mutex_t *mutex)


cdef class Gate:
    """A lock for `with`; not reentrant. `entered` counts how often it was taken.

    Once it is `closed` no caller reaches the engine any more: `with gate` and `enter` raise the error that `refusal` makes.
    The host itself, which has to clear up, enters by `with gate.anyway`.
    """

    def __cinit__(self, refusal):
        self.closed = False
        self.entered = 0
        self.refusal = refusal
        self.anyway = Anyway(self)
        if pthread_mutex_init(&self.mutex, NULL):
            raise MemoryError()

    def __dealloc__(self):
        pthread_mutex_destroy(&self.mutex)

    cpdef void acquire(self) noexcept:
        if pthread_mutex_trylock(&self.mutex):
            with nogil:
                pthread_mutex_lock(&self.mutex)
        engine_entered()
        self.entered += 1

    cpdef void enter(self) except *:
        """Take it for a caller; raise the refusal when it is closed."""
        if self.closed:  # after a fork the lock may be held by a thread that is not here
            raise self.refusal()
        self.acquire()
        if self.closed:
            self.release()
            raise self.refusal()

    cpdef bint try_acquire(self) noexcept:
        if pthread_mutex_trylock(&self.mutex):
            return False
        engine_entered()
        self.entered += 1
        return True

    cpdef void release(self) noexcept:
        pthread_mutex_unlock(&self.mutex)
        engine_left()

    def __enter__(self):
        begin()
        try:
            self.enter()
        except BaseException:
            end()
            raise
        return self

    def __exit__(self, *exc):
        self.release()
        end()


cdef class Anyway:
    """The gate, for code that may pass when it is closed."""

    def __cinit__(self, Gate gate):
        self.gate = gate

    def __enter__(self):
        begin()
        self.gate.acquire()

    def __exit__(self, *exc):
        self.gate.release()
        end()

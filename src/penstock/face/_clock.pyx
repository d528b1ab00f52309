# cython: language_level=3
"""The clocks of the process, without a Python call: for rooms that hand the time to the engine."""

cdef extern from "<time.h>" nogil:
    cdef struct timespec:
        long tv_sec
        long tv_nsec
    int clock_gettime(int clock, timespec *moment)
    int CLOCK_REALTIME
    int CLOCK_REALTIME_COARSE
    int CLOCK_MONOTONIC


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


cpdef double monotonic() noexcept:
    """Return seconds that never go back, as `time.monotonic` does."""
    cdef timespec moment
    clock_gettime(CLOCK_MONOTONIC, &moment)
    return moment.tv_sec + moment.tv_nsec * 1e-9

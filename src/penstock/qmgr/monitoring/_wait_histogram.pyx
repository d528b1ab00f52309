# cython: language_level=3
"""A histogram of the time that messages were on a queue, as plain C numbers: adding is a few comparisons.

Waits below 4 ms are not counted here: they are the gets that no other bucket has. So a message that is got at
once costs one comparison. Used by `Queue.count_got`; `qmgr/monitoring/counting.py` reads it.
"""

BOUNDS_SECONDS = (0.004, 0.016, 0.064, 0.25, 1.0, 4.0, 16.0, 64.0, 256.0)
cdef double[9] bounds = BOUNDS_SECONDS


cdef class WaitHistogram:
    """Counts of waits of 4 ms or more."""

    cpdef void add(self, double seconds) noexcept:
        """Count a wait of 4 ms or more."""
        cdef int place = 0
        while place < 8 and seconds > bounds[place + 1]:
            place += 1
        self.counts[place] += 1

    def slow(self):
        """Return the counts between the bounds, without the first: 4 ms to 16 ms first, over 256 s last."""
        return tuple([self.counts[place] for place in range(9)])

"""Declarations of the clocks."""

cpdef double now() noexcept
cpdef double recently() noexcept
cpdef double monotonic() noexcept

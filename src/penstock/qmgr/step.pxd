cimport cython

from penstock.qmgr.monitoring.accounts cimport Account


@cython.final
cdef class Wishes:
    cdef public object pending
    cdef public list unsaved
    cdef public Py_ssize_t unsaved_kept
    cdef public list discards
    cdef public list amended
    cdef public list misfiled
    cdef public list dropping
    cdef public list spilling
    cdef public list unsealed
    cdef public list unread
    cdef public list to_compile
    cdef public list notices


@cython.final
cdef class Step:
    cdef readonly long long position
    cdef readonly list to_load
    cdef readonly object ticket
    cdef readonly list answer
    cdef public Account account
    cdef public long long searched

    cpdef void begin(self) noexcept
    cpdef void begin_for(self, Account account) noexcept
    cpdef long long end(self) noexcept
    cpdef void wait_for_round(self, object ticket) except *
    cpdef void no_round(self) noexcept
    cpdef void again(self, list answer) noexcept
    cpdef void wait_for(self, long long position) noexcept
    cpdef void load(self, list messages) noexcept
    cpdef list take_load(self)

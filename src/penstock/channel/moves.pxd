cimport cython

from penstock.channel._entries cimport Entry, short_entry, whole_entry
from penstock.model.message cimport Message, plain_message
from penstock.model.onward cimport Onward

cdef int ALIKE, COMPRESSED, ENTRY_BYTES, ID_BYTES, LENGTH_BYTES, TARGET_BYTES_MAX


cdef class Moves:
    cdef public list parts
    cdef readonly Py_ssize_t count
    cdef readonly Py_ssize_t size
    cdef readonly object first
    cdef readonly object batch
    cdef readonly bint fast
    cdef readonly double since
    cdef str _queue
    cdef str _qmgr
    cdef bytes _target
    cdef public object meter
    cdef public bint shortens
    cdef Onward _like
    cdef bint _like_persistent
    cdef int _like_priority

    @cython.locals(
        head=bytes, body=bytes, entry=bytes, flags=cython.int, parts=list, plain=cython.bint, queue=str, qmgr=str,
    )
    cpdef void add(self, Onward onward, Message message, double now, int level) except *
    @cython.locals(like=Onward, onward=Onward)
    cpdef bint is_alike(self, Message message) except -1
    @cython.locals(onward=Onward, entry=bytes, body=bytes, msg_id=bytes, parts=list)
    cpdef void add_alike(self, Message message) except *


cdef class Reader:
    cdef bytes payload
    cdef Py_ssize_t size
    cdef public Py_ssize_t at
    cdef readonly Py_ssize_t began
    cdef public long taken
    cdef readonly Onward onward
    cdef readonly Py_ssize_t like_at
    cdef dict _targets
    cdef object _meter
    cdef Entry _entry
    cdef Message _like

    @cython.locals(message=Message, entry=Entry)
    cpdef Message next(self, double now)
    @cython.locals(
        payload=bytes, entry=Entry, key=bytes, message=Message, onward=Onward, whole=bytes, plain=cython.bint,
    )
    cdef Message _whole(self, double now)
    @cython.locals(like=Message, entry=Entry, put_time=cython.double)
    cdef Message _alike(self)
    cdef Onward _target(self, bytes key, int hops)
    cpdef bint more(self) except -1

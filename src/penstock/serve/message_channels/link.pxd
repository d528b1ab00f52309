cimport cython

from penstock.channel.line cimport Frame as ChannelFrame
from penstock.face._clock cimport monotonic
from penstock.face._clock cimport now as clock
from penstock.host._gate cimport Gate
from penstock.protocol._frames cimport Frame, Splitter
from penstock.qmgr.step cimport Step
from penstock.serve.send_buffer cimport SendBuffer


cdef class ChannelLink(SendBuffer):
    cdef public object server  # its type would import the server before this module is whole
    cdef Gate _gate
    cdef Step _steps
    cdef public object peer
    cdef public object owner
    cdef public object connection
    cdef public object trace
    cdef public str channel
    cdef public object end_of_channel
    cdef public object transport
    cdef public Splitter splitter
    cdef Frame frame
    cdef bint direct
    cdef public bint paused
    cdef public bint starved
    cdef public int unread
    cdef bint looked
    cdef public bint pumping
    cdef public bint closed
    cdef public bint ended
    cdef public object failure
    cdef public list outbox
    cdef public list loading
    cdef public long long outbox_bytes
    cdef public long long bytes_in
    cdef public long long bytes_out
    cdef public long long buffers_in
    cdef public long long buffers_out
    cdef public double started
    cdef public double heard
    cdef public double spoken
    cdef unsigned long _thread
    cdef object __weakref__

    cpdef void send(self, ChannelFrame frame) except *
    cpdef bint full(self) except -1
    @cython.locals(step=Step, position=cython.longlong)
    cpdef void _step(self, object action, list frames) except *
    cpdef void _look(self) except *
    cpdef void pump_soon(self) except *
    cpdef void pump_first(self) except *
    cpdef void _ring(self) except *
    cpdef void pump(self) except *
    @cython.locals(frames=list, filled=cython.longlong)
    cpdef void _take_frames(self) except *
    @cython.locals(frame=Frame, found=list)
    cpdef list _frames(self)
    @cython.locals(frame=ChannelFrame)
    cpdef void _take(self, list frames, double now) except *
    @cython.locals(outbox=list, frames=list, frame=ChannelFrame, pieces=list)
    cpdef void write(self) except *

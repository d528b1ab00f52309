# cython: language_level=3, boundscheck=False, wraparound=False
"""A client's socket: frames out in one write, frames in one after the other, without the GIL.

Plain sockets are read and written by the system's own calls; TLS goes through Python's. Blocking, for one
thread at a time in each direction: `_link` sees to that. Nothing here knows what a frame means. A signal never cuts
a frame off: what its handler raises in a wait for data comes as `Interrupted`, in a write it is raised later.
"""

import socket
import ssl
import struct
import threading

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.exc cimport PyErr_SetFromErrno
from libc.errno cimport EAGAIN, EINTR, errno
from libc.stdlib cimport free, malloc

from penstock.face._clock cimport monotonic
from penstock.model._interrupts cimport begin, end, point, raise_later
from penstock.protocol._frames cimport Frame, Outgoing, Splitter

from penstock.model._interrupts import Interrupted

cdef extern from "<sys/socket.h>" nogil:
    ssize_t c_send "send"(int fd, const void *data, size_t count, int flags)
    ssize_t c_recv "recv"(int fd, void *data, size_t count, int flags)
    int MSG_NOSIGNAL
    int MSG_MORE

cdef extern from "<poll.h>" nogil:
    struct pollfd:
        int fd
        short events
        short revents
    int poll(pollfd *fds, unsigned long count, int timeout)
    short POLLIN
    short POLLOUT

cdef enum:
    BUFFER = 65536
    KEPT_BYTES = 262144  # a larger buffer is given back after it was sent
    SEND_SECONDS = 60  # without progress: then the connection counts as broken
    FINISH_SECONDS = 10  # that a call may take to finish after a signal handler has raised something
    LOOK_SECONDS = 1  # how often a reader looks at the clock; shorter waits ask first


class Ended(ConnectionError):
    """The other end has hung up."""


cdef class Stream:
    """Frames over a connected socket. `broken` once anything has gone wrong: then only closing is left."""

    def __cinit__(self, sock, Py_ssize_t frame_max, bint encrypted=False):
        self.sock = sock
        self.secure = sock if encrypted else None
        self.session = threading.Lock() if encrypted else None
        if encrypted:
            sock.setblocking(False)
        else:
            look = struct.pack("ll", LOOK_SECONDS, 0)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, look)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, look)
        self.fd = sock.fileno()
        self.buffer = <unsigned char *>malloc(BUFFER)
        if self.buffer == NULL:
            raise MemoryError()
        self.splitter = Splitter(frame_max)
        self.frame = Frame()
        self.out = Outgoing()
        self.broken = False

    def __dealloc__(self):
        free(self.buffer)

    def set_frame_max(self, Py_ssize_t frame_max):
        """Take frames up to this size."""
        self.splitter.frame_max = frame_max

    cpdef bint send(self, bint more=False) except -1:
        """Write all that `out` holds; with `more` the kernel may keep it for the next write, 200 ms at most."""
        cdef bytes piece
        cdef int flags = MSG_NOSIGNAL | MSG_MORE if more else MSG_NOSIGNAL
        if self.secure is None and self.out.pieces is None:
            try:
                return self._send_bytes(self.out.data, self.out.size, flags)
            finally:
                self.out.clear(KEPT_BYTES)
        for piece in self.out.take():
            if self.secure is not None:
                self._send_secure(piece)
            else:
                self._send_bytes(PyBytes_AS_STRING(piece), PyBytes_GET_SIZE(piece), flags)
        return 0

    cdef bint _send_bytes(self, const char *data, Py_ssize_t count, int flags) except -1:
        cdef Py_ssize_t done = 0
        cdef ssize_t n
        cdef double deadline = 0.0
        while done < count:
            with nogil:
                n = c_send(self.fd, data + done, count - done, flags)
            if n >= 0:
                done += n
                deadline = 0.0
            elif errno == EAGAIN or errno == EINTR:  # EAGAIN: the socket's own timeout
                deadline = self._send_until(deadline or monotonic() + SEND_SECONDS)
                self._check_send(deadline)
            else:
                self.broken = True
                PyErr_SetFromErrno(OSError)
        return 0

    cdef double _send_until(self, double deadline) except -1:
        """Let handlers run, and return until when to send: not for long when one has raised something."""
        try:
            point()
        except Interrupted as interrupted:
            raise_later(interrupted.cause)
            return min(deadline, monotonic() + FINISH_SECONDS)
        return deadline

    cpdef bint receive(self, double timeout, bint interruptible=True) except -1:
        """Point `frame` at the next frame; False when `timeout` seconds (negative: none) brought none."""
        cdef Py_ssize_t n
        if self.splitter.next(self.frame):
            return True
        while True:
            n = self._read(timeout, interruptible)
            if n < 0:
                return False
            if n == 0:
                self.broken = True
                raise Ended("the connection was closed by the other end")
            self.splitter.begin(self.buffer, n)
            if self.splitter.next(self.frame):
                return True

    cdef Py_ssize_t _read(self, double timeout, bint interruptible) except -2:
        """Read the available data; -1 if none arrived in time."""
        cdef ssize_t n
        cdef double deadline
        if self.secure is not None:
            return self._read_secure(timeout, interruptible)
        if 0 <= timeout < LOOK_SECONDS and not self._ready(POLLIN, timeout, interruptible):
            return -1
        deadline = monotonic() + timeout if timeout >= 0 else 0.0
        while True:
            with nogil:
                n = c_recv(self.fd, self.buffer, BUFFER, 0)
            if n >= 0:
                return n
            if errno != EINTR and errno != EAGAIN:  # EAGAIN: the socket's own timeout, to look at the clock
                self.broken = True
                PyErr_SetFromErrno(OSError)
            if interruptible:
                point()
            if timeout >= 0 and monotonic() >= deadline:
                return -1

    cdef Py_ssize_t _read_secure(self, double timeout, bint interruptible) except -2:
        """Read through TLS; the session is shared with the writer, so no thread sleeps inside it."""
        while True:
            begin()
            try:
                with self.session:
                    return self.secure.recv_into(<unsigned char[:BUFFER]>self.buffer)
            except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
                pass
            finally:
                end()
            if not self._ready(POLLIN, timeout, interruptible):
                return -1

    def _send_secure(self, bytes piece):
        left = memoryview(piece)
        deadline = monotonic() + SEND_SECONDS
        while left:
            begin()
            try:
                with self.session:
                    left = left[self.secure.send(left):]
                    continue
            except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
                pass
            finally:
                end()
            self._ready(POLLIN | POLLOUT, 1.0, False)
            deadline = self._send_until(deadline)
            self._check_send(deadline)

    def _check_send(self, double deadline):
        if monotonic() > deadline:
            self.broken = True
            raise TimeoutError(f"the other end has read nothing for {SEND_SECONDS} seconds")

    cdef bint _ready(self, short events, double timeout, bint interruptible) except -1:
        """Wait until the socket can be read or written; False when time is up first."""
        cdef pollfd waiting
        cdef int ready
        cdef int milliseconds = -1 if timeout < 0 else <int>(timeout * 1000) + 1
        waiting.fd = self.fd
        waiting.events = events
        with nogil:
            ready = poll(&waiting, 1, milliseconds)
        if interruptible:
            point()
        return ready > 0

    def close(self):
        """Hang up."""
        self.broken = True
        self.sock.close()

    def shutdown(self):
        """Wake a thread that reads, and let it see the end."""
        self.broken = True
        try:
            self.sock.shutdown(2)
        except OSError:
            pass

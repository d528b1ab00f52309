# cython: language_level=3, boundscheck=False, wraparound=False
"""One socket shared by the threads of a client: one waiting thread reads for all.

A thread that sends and finds nobody reading becomes the reader; answers to others are put into their slots. With
one thread there is no hand-over and no copy: the answer is read where it lies. The GIL protects the books (slots,
`reading`); sending has a lock. Once the link has failed every call raises what ended it. A signal interrupts only the
wait for an answer that may be given up (`interruptible`); all others are waited for first.
"""

import os
import threading
from collections import deque

cimport cython
from libc.stdint cimport uint32_t
from libc.string cimport memcpy
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize

from penstock.face._clock cimport monotonic
from penstock.model._interrupts cimport acquire, begin, end, raise_later
from penstock.protocol._frames cimport Frame, Outgoing
from penstock.client._stream cimport Stream

from penstock.model import constants as mq
from penstock.model._interrupts import Interrupted
from penstock.model.errors import MQError, error
from penstock.protocol import failures
from penstock.protocol import numbers as protocol

cdef int HEARTBEAT = protocol.HEARTBEAT
cdef int GOODBYE = protocol.GOODBYE
cdef int FAILED = protocol.FAILED
cdef int PART = protocol.PART
cdef int CANCEL = protocol.CANCEL
cdef int BACKOUT = protocol.BACKOUT
cdef int MORE = protocol.MORE

cdef enum:
    FINISH_SECONDS = 10  # that an answer may take after a signal handler has raised something


@cython.freelist(16)
cdef class Slot:
    """The place for the answer to one request."""

    cdef void keep(self, Frame frame) except *:
        """Keep a copy of an answer that another thread has read."""
        cdef bytes payload = frame.payload()
        cdef Frame copy = Frame()
        copy.adopt(frame, payload)
        if frame.kind == PART:
            if self.parts is None:
                self.parts = deque()
            self.parts.append(copy)
        else:
            self.frame = copy
            self.done = True


cdef class ClientLink:
    """A connection's socket. `begin`, write to `out`, `exchange`, read the frame, `release`."""

    def __cinit__(self, Stream stream):
        self.stream = stream
        self.out = stream.out
        self.pending = {}
        self.followers = deque()
        self.reading = False
        self.owed = False
        self.send_lock = threading.Lock()
        self.orphans = deque()
        self.last_request = 0
        self.id_head = os.urandom(16)
        self.ids_made = 0
        self.failure = None
        self.ending = ""
        self.silence_max = -1.0
        self.terms = None

    cpdef Slot begin(self, uint32_t conversation):
        """Begin a request: no other thread writes until `exchange`, `send` or `abandon`."""
        cdef Slot slot
        self._wait_to_send()
        if self.failure is not None:
            self.send_lock.release()
            raise self.failure_again()
        if self.orphans:
            self._write_orphans()
        self.last_request = (self.last_request + 1) & 0xFFFFFFFF or 1
        slot = Slot.__new__(Slot)
        slot.conversation = conversation
        slot.request = self.last_request
        self.pending[self.last_request] = slot
        return slot

    cdef int _wait_to_send(self) except -1:
        """Wait until no other thread writes; signals do not interrupt it."""
        if not self.send_lock.acquire(False):
            begin()
            try:
                self.send_lock.acquire()
            finally:
                end()
        return 0

    cpdef bytes fresh_id(self):
        """Return a unique message id: sixteen random bytes of this link, then a count."""
        cdef bytes made = PyBytes_FromStringAndSize(NULL, 24)
        self.ids_made += 1
        memcpy(PyBytes_AS_STRING(made), PyBytes_AS_STRING(self.id_head), 16)
        memcpy(PyBytes_AS_STRING(made) + 16, &self.ids_made, 8)
        return made

    def orphan(self, conversation, unit):
        """Back out a unit whose context has ended. Finalisers call it: it waits for no lock."""
        self._say_soon(BACKOUT, conversation, 0, unit)

    def drop(self, Slot slot):
        """End an answer in parts that is not read any more; like `orphan`."""
        self._say_soon(CANCEL, slot.conversation, slot.request, 0)

    def _say_soon(self, kind, conversation, request, unit):
        self.orphans.append((kind, conversation, request, unit))
        if self.failure is None and self.send_lock.acquire(blocking=False):
            try:
                self._write_orphans()
                self.send()
            except MQError:
                pass  # the link is gone, and the unit with it

    def _write_orphans(self):
        while self.orphans:
            kind, conversation, request, unit = self.orphans.popleft()
            self.out.frame(kind, 0, conversation, request, unit, b"")

    def say_more(self, Slot slot, count):
        """Report that this many bytes of an answer in parts were read."""
        self._wait_to_send()
        if self.failure is not None:
            self.send_lock.release()
            raise self.failure_again()
        self.out.frame(MORE, 0, slot.conversation, slot.request, 0, int(count).to_bytes(8, "little"))
        self.send()

    cpdef void abandon(self) except *:
        """Give up a request whose frame could not be made."""
        self.pending.pop(self.last_request, None)
        self.out.take()
        self.send_lock.release()

    cpdef bint send(self, bint more=False) except -1:
        """Send what was written and let others write; `more`: something follows that it may go out with."""
        try:
            if self.owed:
                self.owed = False
                self.out.frame(HEARTBEAT, protocol.NO_REPLY, 0, 0, 0, b"")
            self.stream.send(more)
        except OSError as cause:
            self._last_words()
            self.fail(self._broken(cause))
            raise self.failure_again() from cause
        except BaseException:  # Ctrl-C in the middle of a frame: nothing that follows would make sense
            self.fail(error(mq.MQRC_CONNECTION_BROKEN, "a frame was cut off"))
            raise
        finally:
            self.send_lock.release()
        return 0

    def _last_words(self):
        """Read the goodbye of an end that takes nothing any more."""
        if self.reading:
            return
        self.reading = True
        try:
            while self.stream.receive(0.0, False):
                self._take(self.stream.frame)
        except (OSError, ValueError):
            pass
        finally:
            self.reading = False

    def is_quiet(self):
        """Return whether no call is under way."""
        return not self.pending

    def _broken(self, cause):
        """Return the error of a broken connection: a GOODBYE frame shows whether the server ended it."""
        if self.ending:
            reason = 2161 if self.ending == "quiesce" else 2162
            return error(reason, f"the queue manager has ended the connection ({self.ending})")
        return error(mq.MQRC_CONNECTION_BROKEN, f"the connection broke: {cause}")

    cpdef Slot say(self, int kind, int flags, uint32_t conversation, uint32_t unit, bytes payload):
        """Send a frame whose answer is asked for later. Nothing can come between: a Ctrl-C leaves no lock behind."""
        cdef Slot slot = self.begin(conversation)
        try:
            self.out.frame(kind, flags, conversation, slot.request, unit, payload)
        except BaseException:
            self.abandon()
            raise
        self.send()
        return slot

    cpdef Frame exchange(self, Slot slot, double timeout, bint interruptible=False):
        """Send, and return the answer; it is good until `release`. 2009 when the link breaks meanwhile."""
        self.send()
        return self.answer(slot, timeout, interruptible)

    cpdef Frame answer(self, Slot slot, double timeout, bint interruptible=False):
        """Return the answer to a request that was sent, or a part of it; negative timeouts never end.

        What a signal handler raises meanwhile is raised when the call has returned; `interruptible` answers
        raise `Interrupted` instead, and may be asked for again.
        """
        cdef double deadline = -1.0, soon
        slot.patience = timeout
        if timeout >= 0:
            deadline = monotonic() + timeout
        try:
            return self._answer(slot, deadline, True)
        except Interrupted as interrupted:
            if interruptible:
                raise
            raise_later(interrupted.cause)
        slot.patience = -1.0
        soon = monotonic() + FINISH_SECONDS
        return self._answer(slot, soon if deadline < 0 or soon < deadline else deadline, False)

    cdef Frame _answer(self, Slot slot, double deadline, bint interruptible):
        try:
            while True:
                if slot.parts:
                    return slot.parts.popleft()
                if slot.done:
                    return slot.frame
                if slot.leads:  # it was read, and is requested again
                    return self.stream.frame
                if self.failure is not None:
                    raise self.failure_again()
                if not self.reading:
                    self.reading = True
                    slot.leads = True
                    if self._lead(slot, deadline, interruptible):
                        return self.stream.frame
                    raise self._silent()
                self._follow(slot, deadline, interruptible)
        except BaseException:  # Ctrl-C among them: the caller may still cancel and ask again
            self.next_part(slot)
            raise

    cdef bint _follow(self, Slot slot, double deadline, bint interruptible) except -1:
        """Sleep until another thread has read the answer, or stops reading."""
        cdef double timeout = -1.0
        cdef bint woken
        if deadline >= 0:
            timeout = max(0.0, max(deadline, slot.extended) - monotonic())
        if slot.lock is None:
            slot.lock = threading.Lock()
            slot.lock.acquire()
        self.followers.append(slot)
        try:
            if interruptible:
                woken = acquire(slot.lock, timeout)
            else:
                begin()
                try:
                    woken = slot.lock.acquire(True, timeout)
                finally:
                    end()
            if not woken and slot.extended <= monotonic():
                raise self._silent()
        finally:
            try:
                self.followers.remove(slot)
            except ValueError:
                pass
        return 0

    def _silent(self):
        failure = error(mq.MQRC_CONNECTION_BROKEN, "the queue manager did not answer in time")
        self.fail(failure)
        return self.failure_again()

    cdef bint _lead(self, Slot slot, double deadline, bint interruptible) except -1:
        """Read frames until the answer to `slot` is in the stream's frame; False when time is up."""
        cdef double timeout, left
        cdef Frame frame = self.stream.frame
        while True:
            timeout = self.silence_max
            if deadline >= 0:
                deadline = max(deadline, slot.extended)
                left = max(0.0, deadline - monotonic())
                timeout = left if timeout < 0 or left < timeout else timeout
            try:
                if not self.stream.receive(timeout, interruptible):
                    if deadline >= 0 and monotonic() < deadline and timeout != self.silence_max:
                        continue
                    return False
                if frame.request == slot.request and frame.conversation == slot.conversation and frame.kind < GOODBYE and frame.kind != HEARTBEAT:
                    return True
                self._take(frame)
            except (OSError, ValueError) as cause:
                self.fail(self._broken(cause))
                raise self.failure_again() from cause

    cdef bint _take(self, Frame frame) except -1:
        """Take a frame that is not for the reader."""
        cdef Slot slot
        if frame.kind == HEARTBEAT:
            if not frame.flags & 1:
                self._beat()
            elif frame.request:
                self._extend(frame)
        elif frame.kind == GOODBYE:
            self.ending = frame.payload().decode()
        elif frame.kind == FAILED and frame.request == 0:
            raise ConnectionError(str(failures.unpack(frame.payload())))
        else:
            slot = self.pending.get(frame.request)
            if slot is not None and slot.conversation == frame.conversation:
                slot.keep(frame)
                if slot.lock is not None and slot.lock.locked():
                    slot.lock.release()
        return 0

    cdef bint _extend(self, Frame frame) except -1:
        """Wait longer for a call that the server reports as under way."""
        cdef Slot slot = self.pending.get(frame.request)
        if slot is not None and slot.conversation == frame.conversation and slot.patience >= 0:
            slot.extended = monotonic() + slot.patience
        return 0

    def _beat(self):
        """Answer a heartbeat, now or with what is sent next: a reader must not wait for a writer."""
        if self.send_lock.acquire(blocking=False):
            self.owed = True
            self.send()
        else:
            self.owed = True

    cpdef void release(self, Slot slot) except *:
        """Release a request whose answer was read."""
        self._forget(slot)
        self.next_part(slot)

    cpdef void next_part(self, Slot slot) except *:
        """Release a part that was read: `answer` returns the next."""
        if slot.leads:
            slot.leads = False
            self.reading = False
        if self.followers and not self.reading:  # also when this thread was woken to read and had its answer already
            self._hand_over()

    cdef void _forget(self, Slot slot) except *:
        self.pending.pop(slot.request, None)

    cdef void _hand_over(self) except *:
        """Wake a thread that waits for an answer, so that it reads."""
        cdef Slot slot
        for slot in self.followers:
            if not slot.done and slot.lock.locked():
                slot.lock.release()
                return

    def failure_again(self):
        """Return what ended the link, to be raised once more."""
        return type(self.failure)(self.failure.reason, self.failure.detail, self.failure.fields, self.failure.comp)

    def fail(self, failure):
        """End the link; waiting threads get the error."""
        cdef Slot slot
        if self.failure is None:
            self.failure = failure
            self.stream.shutdown()
        for slot in list(self.pending.values()):
            if slot.lock is not None and slot.lock.locked():
                slot.lock.release()

    def cancel(self, Slot slot):
        """Ask the other end to answer a waiting request now."""
        self._wait_to_send()
        if self.failure is not None:
            self.send_lock.release()
            raise self.failure_again()
        self.out.frame(CANCEL, protocol.NO_REPLY, slot.conversation, slot.request, 0, b"")
        self.send()

    def disown(self):
        """Drop the link in the child of a fork: the socket is the parent's, nothing is sent on it."""
        self.failure = error(mq.MQRC_CONNECTION_BROKEN, "a connection does not survive a fork: connect again")
        self.send_lock = threading.Lock()
        self.stream.close()

    def close(self):
        """Hang up."""
        self.fail(error(mq.MQRC_CONNECTION_BROKEN, "the connection is closed"))
        self.stream.close()

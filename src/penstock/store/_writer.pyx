# cython: language_level=3
"""The journal's writer: two buffers, one native thread, one write and one sync for all waiting threads.

`append` copies a record to its final place in the active buffer and so knows its position at once. Large bodies
are kept until the flush and copied by it (`lent`): a put of 100 MB does not delay other callers.
The flushing thread takes the buffer, fills in the block headers, writes and syncs, all without the GIL. It is
the native thread, or a thread in `wait` if no flush is in progress (that saves a lone producer two thread
switches). Nothing can be removed from the buffer, and a failed write or sync stops the writer permanently. If
the process has no descriptor left for the next file, that is not a failed disk: the data is kept, and the
native thread tries again until it gets one.
`journal.py` is its face; the layout is in docs/internals/journal-format.md.
Invariants: `durable` never passes a byte that was not written and synced; the child of a fork
writes nothing, because the file and what comes next in it are its parent's.
"""

cimport cython
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_CheckExact, PyBytes_GET_SIZE
from cpython.exc cimport PyErr_CheckSignals
from libc.errno cimport EMFILE, ENFILE, ENOMEM, errno
from libc.stdint cimport int64_t, uint16_t, uint64_t
from libc.stdlib cimport calloc, free

from penstock.store._disk cimport (
    guarded_sync, guarded_write, plan_of, pthread_cond_t, pthread_mutex_destroy, pthread_mutex_init,
    pthread_mutex_lock, pthread_mutex_t, pthread_mutex_unlock, pthread_t,
)
from penstock.store._layout cimport (
    Block, Buffer, Layout, close_block, copy_loans, empty_buffer, free_buffer, put_record, seal_block,
)
from penstock.store._segment cimport Folder, open_segment, prepare_segment, recycle_segment

import logging
import os

from penstock.store._checksum import crc32c
from penstock.store.failures import journal_closed, journal_of_parent, journal_stopped, record_too_long

__all__ = ["Writer", "crc32c"]

cdef enum:
    SIGNAL_CHECK_NS = 250000000  # how long Ctrl-C may have to wait
    STARVED_PAUSE_NS = 10000000  # between two tries to get a descriptor
    STEP_WRITE = 0
    STEP_SYNC = 1
    STEP_OPEN = 2
    STEP_MEMORY = 3
    LENT_BYTES_MIN = 1 << 20  # a body of this size is copied by the flushing thread
    SYNC_NS_MIN = 10000  # the first bound of the histogram of syncs; each is four times the one before
    SYNC_FACTOR = 4
    SYNC_BOUNDS = 11

SYNC_BOUNDS_SECONDS = tuple([SYNC_NS_MIN * SYNC_FACTOR ** place / 1e9 for place in range(SYNC_BOUNDS)])
STEPS = ("write to", "sync of", "creation of", "memory for")
RECORD_BYTES_MAX = 1 << 30
BUFFER_BYTES_MAX = 256 << 20  # append waits for the writer when more than this is unwritten
STARVED_SECONDS_MAX = 5.0  # that a journal that is about to close waits for a descriptor
logger = logging.getLogger(__name__)
cdef int64_t record_bytes_max = 1 << 30
cdef int64_t UNWRITTEN = (1 << 63) - 1

cdef extern from *:
    """
    #include <pthread.h>
    #include <time.h>
    #include <unistd.h>
    #include <stdint.h>
    static int64_t ps_clock_ns(void) {
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
    }
    static int ps_wait_ns(pthread_cond_t *c, pthread_mutex_t *m, int64_t ns) {
        struct timespec t;
        clock_gettime(CLOCK_REALTIME, &t);
        ns += t.tv_nsec;
        t.tv_sec += ns / 1000000000;
        t.tv_nsec = ns % 1000000000;
        return pthread_cond_timedwait(c, m, &t);
    }
    static void ps_ring(int fd) {
        uint64_t one = 1;
        if (fd >= 0 && write(fd, &one, sizeof one) < 0) { /* full: it is readable already */ }
    }
    static int64_t ps_load(const int64_t *p) { return __atomic_load_n(p, __ATOMIC_ACQUIRE); }
    static void ps_store(int64_t *p, int64_t v) { __atomic_store_n(p, v, __ATOMIC_RELEASE); }
    static int64_t ps_forks = 0;  /* between the first process and this one */
    static void ps_count_fork(void) { ps_forks++; }
    static int ps_count_forks(void) { return pthread_atfork(NULL, NULL, ps_count_fork); }
    """
    int64_t ps_forks
    int ps_count_forks()
    int64_t ps_clock_ns() nogil
    int ps_wait_ns(pthread_cond_t *c, pthread_mutex_t *m, int64_t ns) nogil
    void ps_ring(int fd) nogil
    int64_t ps_load(const int64_t *p) nogil
    void ps_store(int64_t *p, int64_t v) nogil
    int pthread_cond_init(pthread_cond_t *, void *) nogil
    int pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *) nogil
    int pthread_cond_signal(pthread_cond_t *) nogil
    int pthread_cond_broadcast(pthread_cond_t *) nogil
    int pthread_cond_destroy(pthread_cond_t *) nogil
    int pthread_create(pthread_t *, void *, void *(*)(void *) noexcept nogil, void *) nogil
    int pthread_join(pthread_t, void **) nogil

cdef extern from "<unistd.h>" nogil:
    int c_close "close" (int fd)


if ps_count_forks():
    raise MemoryError("no room to notice forks")


cdef struct State:
    pthread_mutex_t lock
    pthread_mutex_t files_lock  # held while the next file is made or an old one renumbered
    pthread_cond_t work
    pthread_cond_t done
    pthread_t thread
    Folder folder
    Buffer *active
    Buffer *spare
    Layout layout
    int restart
    int busy
    int starved  # the spare buffer could not be written: there was no descriptor for the next file
    size_t next_block  # of the buffer that is being written
    int64_t taken_end  # behind the last record in it
    int closing
    int failed
    int failed_step
    int segment_fd
    int bell
    int64_t segment
    int64_t end  # behind the last whole record; it and `durable` are read without the lock
    int64_t written
    int64_t durable
    int64_t requested
    int64_t wake_bytes
    int64_t buffer_bytes_max
    int waiting
    int64_t syncs
    int64_t writes
    int64_t bytes_written
    int64_t records_written
    int64_t batch_bytes_max
    int64_t batch_records_max
    int64_t sync_ns_last
    int64_t sync_ns_sum
    int64_t sync_ns_max
    int64_t[12] sync_counts  # by duration, see SYNC_BOUNDS_SECONDS


# Flushing (one thread at a time: the one that set `busy`; the lock is not held during I/O)

cdef int enter_segment(State *s, int64_t number) noexcept nogil:
    """Sync the file that is left, then open the one of this number."""
    if s.segment_fd >= 0:
        s.failed_step = STEP_SYNC
        if guarded_sync(s.folder.plan, s.segment_fd):
            return -1
        c_close(s.segment_fd)
        s.segment_fd = -1
    s.failed_step = STEP_OPEN
    pthread_mutex_lock(&s.files_lock)
    s.segment_fd = open_segment(&s.folder, number)
    pthread_mutex_unlock(&s.files_lock)
    s.segment = number
    return 0 if s.segment_fd >= 0 else -1


cdef int write_blocks(State *s, Buffer *buffer, int64_t durable) noexcept nogil:
    """Write the rest of a buffer, from `next_block` on."""
    cdef Block *block
    cdef const char *data
    cdef int64_t number
    while s.next_block < buffer.count:
        block = &buffer.blocks[s.next_block]
        number = block.position // s.folder.segment_bytes
        if number != s.segment or s.segment_fd < 0:
            if enter_segment(s, number):
                return -1
            durable = block.position
        data = seal_block(buffer, block, durable, s.folder.journal, s.restart)
        s.restart = 0
        s.failed_step = STEP_WRITE
        if guarded_write(s.folder.plan, s.segment_fd, data, block.length,
                         block.position % s.folder.segment_bytes):
            return -1
        s.next_block += 1
    return 0


cdef bint is_short_of_descriptors(State *s, int code) noexcept nogil:
    return s.failed_step == STEP_OPEN and (code == EMFILE or code == ENFILE)


cdef void flush(State *s, bint must_sync) noexcept nogil:
    """Write the active buffer and sync; the lock is held on entry and on return, not in between.

    If the last one could not be written because no descriptor was free, continue with it.
    """
    cdef Buffer *buffer = s.spare if s.starved else s.active
    cdef int64_t durable = s.durable
    cdef int64_t before, taken = 0
    cdef int result, code
    s.busy = 1
    if not s.starved:
        close_block(&s.layout, buffer)
        s.active = s.spare
        s.spare = buffer
        s.taken_end = s.end
        s.next_block = 0
    s.starved = 0
    pthread_mutex_unlock(&s.lock)
    copy_loans(buffer)
    result = write_blocks(s, buffer, durable)
    if result == 0 and must_sync and s.segment_fd >= 0:
        s.failed_step = STEP_SYNC
        before = ps_clock_ns()
        result = guarded_sync(s.folder.plan, s.segment_fd)
        taken = ps_clock_ns() - before
    code = errno
    pthread_mutex_lock(&s.lock)
    if result and is_short_of_descriptors(s, code):
        s.starved = 1
    elif result:
        s.failed = code if code else -1
    else:
        note(s, buffer, taken, must_sync)
        ps_store(&s.written, s.taken_end)
        if must_sync:
            ps_store(&s.durable, s.taken_end)
    if not s.starved:
        empty_buffer(buffer)
    s.busy = 0
    if s.waiting:
        pthread_cond_broadcast(&s.done)
    if has_work(s) or s.closing:
        pthread_cond_signal(&s.work)
    if (must_sync or result) and not s.starved:
        ps_ring(s.bell)


cdef void note(State *s, Buffer *buffer, int64_t taken, bint synced) noexcept nogil:
    s.writes += <int64_t>buffer.count
    s.bytes_written += <int64_t>buffer.used
    s.records_written += buffer.records
    if <int64_t>buffer.used > s.batch_bytes_max:
        s.batch_bytes_max = <int64_t>buffer.used
    if buffer.records > s.batch_records_max:
        s.batch_records_max = buffer.records
    cdef int place = 0
    cdef int64_t bound = SYNC_NS_MIN
    if synced:
        s.syncs += 1
        s.sync_ns_last = taken
        s.sync_ns_sum += taken
        if taken > s.sync_ns_max:
            s.sync_ns_max = taken
        while place < SYNC_BOUNDS and taken > bound:
            place += 1
            bound *= SYNC_FACTOR
        s.sync_counts[place] += 1


cdef bint has_work(State *s) noexcept nogil:
    if s.failed or s.busy:
        return False
    return s.starved or s.requested > s.durable or <int64_t>s.active.used >= s.wake_bytes


cdef void *run(void *argument) noexcept nogil:
    """The native thread: flush when a position was requested or the buffer is full enough."""
    cdef State *s = <State *>argument
    pthread_mutex_lock(&s.lock)
    while True:
        if s.starved and s.closing:
            s.failed = EMFILE
            s.starved = 0
            pthread_cond_broadcast(&s.done)
        elif s.starved:
            ps_wait_ns(&s.work, &s.lock, STARVED_PAUSE_NS)
        if has_work(s):
            flush(s, s.requested > s.durable)
        elif s.closing and not s.busy:
            break
        else:
            pthread_cond_wait(&s.work, &s.lock)
    pthread_mutex_unlock(&s.lock)
    return NULL


cdef int wait_durable(State *s, int64_t position, int64_t wait_ns) noexcept nogil:
    """1 durable, 0 not within the time, -1 stopped."""
    cdef int64_t until = ps_clock_ns() + wait_ns
    cdef int64_t left
    pthread_mutex_lock(&s.lock)
    if position > s.requested:
        s.requested = position
    while s.durable < position and not s.failed and not s.closing:
        if not s.busy and not s.starved:
            flush(s, True)
            continue
        left = until - ps_clock_ns()
        if left <= 0:
            break
        s.waiting += 1
        ps_wait_ns(&s.done, &s.lock, left)
        s.waiting -= 1
    while s.closing and s.durable < position and not s.failed and ps_clock_ns() < until:
        s.waiting += 1
        ps_wait_ns(&s.done, &s.lock, 10000000)
        s.waiting -= 1
    left = 1 if s.durable >= position else (-1 if s.failed else 0)
    pthread_mutex_unlock(&s.lock)
    return <int>left


cdef bint is_crowded(State *s) noexcept nogil:
    return <int64_t>s.active.used > s.buffer_bytes_max and not s.failed and not s.closing


cdef void wait_room(State *s) noexcept nogil:
    """Return when the buffer may take more, or never will again."""
    pthread_mutex_lock(&s.lock)
    while is_crowded(s):
        if s.busy or s.starved:
            s.waiting += 1
            pthread_cond_wait(&s.done, &s.lock)
            s.waiting -= 1
        else:
            flush(s, False)
    pthread_mutex_unlock(&s.lock)


@cython.no_gc_clear  # the native thread reads lent bodies until it has ended
cdef class Writer:
    """Appends records and makes them durable. Every method may be called from any thread."""

    cdef State *s
    cdef object faults
    cdef bint running
    cdef bint told  # that a descriptor is waited for
    cdef list lent  # large bodies that are not written yet, with where their records end
    cdef int64_t forks

    def __cinit__(self, str path, int64_t segment_bytes, uint64_t journal, int64_t end,
                  int64_t wake_bytes, int bell_writer=-1, faults=None, **_):
        cdef State *s = <State *>calloc(1, sizeof(State))
        if s == NULL:
            raise MemoryError
        self.s = s
        self.faults = faults
        self.forks = ps_forks
        self.lent = []
        s.folder.fd = s.segment_fd = -1
        s.active = <Buffer *>calloc(1, sizeof(Buffer))
        s.spare = <Buffer *>calloc(1, sizeof(Buffer))
        if s.active == NULL or s.spare == NULL:
            raise MemoryError
        pthread_mutex_init(&s.lock, NULL)
        pthread_mutex_init(&s.files_lock, NULL)
        pthread_cond_init(&s.work, NULL)
        pthread_cond_init(&s.done, NULL)
        s.folder.fd = os.open(path, os.O_RDONLY)
        s.folder.segment_bytes = segment_bytes
        s.folder.journal = journal
        s.folder.plan = plan_of(faults)
        s.layout.segment_bytes = segment_bytes
        s.layout.next = s.end = s.written = s.durable = s.requested = end
        s.wake_bytes = wake_bytes
        s.buffer_bytes_max = BUFFER_BYTES_MAX
        s.bell = bell_writer
        s.restart = 1
        if pthread_create(&s.thread, NULL, run, s):
            raise MemoryError("no thread for the journal's writer")
        self.running = True

    def __dealloc__(self):
        cdef State *s = self.s
        if s == NULL:
            return
        if self.forks != ps_forks:
            return  # after a fork the thread is the parent's; so is the file
        if self.running:
            self.stop()
        if s.folder.fd >= 0:
            c_close(s.folder.fd)
        free_buffer(s.active)
        free_buffer(s.spare)
        pthread_cond_destroy(&s.work)
        pthread_cond_destroy(&s.done)
        pthread_mutex_destroy(&s.lock)
        pthread_mutex_destroy(&s.files_lock)
        free(s)

    cdef void stop(self):
        """Let the native thread finish what was requested, then end it."""
        cdef State *s = self.s
        with nogil:
            pthread_mutex_lock(&s.lock)
            s.closing = 1
            pthread_cond_broadcast(&s.work)
            pthread_mutex_unlock(&s.lock)
            pthread_join(s.thread, NULL)
        self.running = False
        if s.segment_fd >= 0:
            c_close(s.segment_fd)
            s.segment_fd = -1

    def append(self, uint16_t kind, head, body=b""):
        """Copy a record to the log buffer and return its end position. No I/O of its own.

        It waits only when more than BUFFER_BYTES_MAX is unwritten. Raise MQError 8004 when the
        writer has stopped.
        """
        cdef Py_buffer first
        cdef Py_buffer second
        PyObject_GetBuffer(head, &first, PyBUF_SIMPLE)
        try:
            PyObject_GetBuffer(body, &second, PyBUF_SIMPLE)
            try:
                if self.lent:
                    self.return_written()
                if PyBytes_CheckExact(body) and PyBytes_GET_SIZE(body) >= LENT_BYTES_MIN:
                    return self.borrow(kind, &first, &second, body)
                return self.take(kind, &first, &second, False)
            finally:
                PyBuffer_Release(&second)
        finally:
            PyBuffer_Release(&first)

    cdef int64_t borrow(self, uint16_t kind, Py_buffer *head, Py_buffer *body, bytes held) except -1:
        """Append a record whose body is kept until it is written."""
        cdef list loan = [UNWRITTEN, held]
        self.lent.append(loan)  # first: nothing may fail between the record and this
        try:
            loan[0] = self.take(kind, head, body, True)
        except BaseException:
            self.take_back(loan)  # a writer that has stopped copies nothing any more
            raise
        return loan[0]

    cdef int take_back(self, list loan) except -1:
        """Forget one loan: this one, not another of an equal body."""
        cdef Py_ssize_t at
        for at in range(len(self.lent)):
            if self.lent[at] is loan:
                del self.lent[at]
                break
        return 0

    cdef int return_written(self) except -1:
        """Let go of the bodies that were written."""
        cdef int64_t written = ps_load(&self.s.written)
        while self.lent and self.lent[0][0] <= written:
            del self.lent[0]
        return 0

    cdef int64_t take(self, uint16_t kind, Py_buffer *head, Py_buffer *body, bint lends) except -1:
        cdef State *s = self.s
        cdef int64_t end
        cdef int stopped
        if head.len + body.len > record_bytes_max:
            raise record_too_long(head.len + body.len, RECORD_BYTES_MAX)
        self.check_owner()
        pthread_mutex_lock(&s.lock)
        while is_crowded(s):
            pthread_mutex_unlock(&s.lock)
            with nogil:  # never wait for the GIL while holding the lock: append takes them in the other order
                wait_room(s)
            pthread_mutex_lock(&s.lock)
        if not (s.failed or s.closing) and put_record(
                &s.layout, s.active, kind, <const char *>head.buf, head.len, <const char *>body.buf, body.len, lends):
            s.failed = ENOMEM  # the record may be there in part: nothing can follow it
            s.failed_step = STEP_MEMORY
        stopped = s.failed or s.closing
        end = s.layout.next
        if not stopped:
            ps_store(&s.end, end)
        if <int64_t>s.active.used >= s.wake_bytes and not s.busy:
            pthread_cond_signal(&s.work)
        pthread_mutex_unlock(&s.lock)
        if stopped:
            self.check()
            raise journal_closed()
        return end

    def request(self, int64_t position):
        """Ask the native thread to make everything up to `position` durable; return at once."""
        cdef State *s = self.s
        cdef bint idle
        if ps_load(&s.durable) >= position:
            return
        self.check()
        pthread_mutex_lock(&s.lock)
        if position > s.end:
            position = s.end
        if position > s.requested:
            s.requested = position
        idle = not s.busy
        pthread_mutex_unlock(&s.lock)
        if idle:  # without the lock: a thread that wakes while it is held waits a second time, for it
            pthread_cond_signal(&s.work)

    def wait(self, int64_t position, timeout=None):
        """Return True when everything up to `position` is on disk, False after `timeout` seconds.

        Works without the GIL. Raise MQError 8004 when the writer has stopped.
        """
        cdef State *s = self.s
        cdef int64_t until, left, slice_ns = SIGNAL_CHECK_NS
        cdef int result
        if ps_load(&s.durable) >= position:
            return True
        if position > ps_load(&s.end):
            raise ValueError(f"position {position} is beyond the journal's end {self.end}")
        until = -1 if timeout is None else ps_clock_ns() + <int64_t>(max(0.0, float(timeout)) * 1e9)
        while True:
            self.check()
            left = slice_ns
            if until >= 0 and until - ps_clock_ns() < slice_ns:
                left = until - ps_clock_ns()
            with nogil:
                result = wait_durable(s, position, left)
            if result == 1:
                self.told = False
                return True
            if result < 0:
                self.check()
            if s.starved and not self.told:
                self.told = True
                logger.warning("no file descriptor is left for the next journal file; waiting for one")
            if until >= 0 and ps_clock_ns() >= until:
                return False
            if not self.running:
                raise journal_closed()
            PyErr_CheckSignals()

    cdef int check_owner(self) except -1:
        if self.forks != ps_forks:  # a lock that was held at the fork stays locked in the child
            raise journal_of_parent()
        return 0

    cdef int check(self) except -1:
        cdef int code = self.s.failed
        self.check_owner()
        if code:
            raise journal_stopped(code, STEPS[self.s.failed_step])
        return 0

    def prepare(self, int64_t number):
        """Have the file of this number ready, or raise OSError."""
        cdef State *s = self.s
        cdef int result, code
        with nogil:
            pthread_mutex_lock(&s.files_lock)
            result = prepare_segment(&s.folder, number)
            code = errno
            pthread_mutex_unlock(&s.files_lock)
        if result:
            raise OSError(code, os.strerror(code))

    def recycle(self, int64_t old, int64_t number):
        """Give the file `old`, which is no longer needed, the new number, or raise OSError."""
        cdef State *s = self.s
        cdef int result, code
        with nogil:
            pthread_mutex_lock(&s.files_lock)
            result = recycle_segment(&s.folder, old, number)
            code = errno
            pthread_mutex_unlock(&s.files_lock)
        if result:
            raise OSError(code, os.strerror(code))

    def drain(self):
        """Make everything durable and return True; False when no descriptor for that was to be had."""
        while not self.wait(self.end, STARVED_SECONDS_MAX):
            if self.s.starved:
                return False
        return True

    def finish(self):
        """Make everything durable and end the native thread; raise MQError 8004 if that failed."""
        if self.running and self.forks == ps_forks:
            try:
                if not self.s.starved:
                    self.drain()
            finally:
                self.stop()
            self.check()

    @property
    def durable(self):
        """The position up to which everything is known to be on disk."""
        if self.lent:
            self.return_written()
        return ps_load(&self.s.durable)

    @property
    def end(self):
        """The position behind the last record."""
        return ps_load(&self.s.end)

    @property
    def buffered(self):
        """Bytes appended and not yet written."""
        cdef State *s = self.s
        cdef int64_t used
        pthread_mutex_lock(&s.lock)
        used = <int64_t>(s.active.used + (s.spare.used if s.busy or s.starved else 0))
        pthread_mutex_unlock(&s.lock)
        return used

    @property
    def buffer_bytes_max(self):
        """Unwritten bytes at which `append` waits for the writer."""
        return self.s.buffer_bytes_max

    @buffer_bytes_max.setter
    def buffer_bytes_max(self, int64_t value):
        self.s.buffer_bytes_max = value

    @property
    def stopped(self):
        """The errno that stopped the writer, or 0."""
        return self.s.failed

    def counters(self):
        """Return (syncs, writes, bytes, records, batch bytes max, batch records max, sync ns last, sum, max)."""
        cdef State *s = self.s
        pthread_mutex_lock(&s.lock)
        counters = (
            s.syncs, s.writes, s.bytes_written, s.records_written, s.batch_bytes_max,
            s.batch_records_max, s.sync_ns_last, s.sync_ns_sum, s.sync_ns_max,
        )
        pthread_mutex_unlock(&s.lock)
        return counters

    def sync_counts(self):
        """Return how many syncs took how long: counts between SYNC_BOUNDS_SECONDS, and of those above."""
        cdef State *s = self.s
        pthread_mutex_lock(&s.lock)
        counts = [s.sync_counts[place] for place in range(SYNC_BOUNDS + 1)]
        pthread_mutex_unlock(&s.lock)
        return counts

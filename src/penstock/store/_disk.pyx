# cython: language_level=3, boundscheck=False, wraparound=False
"""Writes and syncs of the store, each of which a fault plan may tear, lose or fail.

The journal's native writer calls the guarded functions without the GIL; `files.py` is their Python
face for everything else. Without a plan they are plain pwrite and fdatasync. With one, operations
are counted over the whole store; from the one that stops on, nothing has an effect any more, as
after a power cut. So the crash tests run the code that ships.
"""

from libc.errno cimport EINTR, ENOSPC, errno
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from posix.types cimport off_t

import os

LOSE_NOTHING = 0
LOSE_ALL = 1
LOSE_OLDEST = 2

cdef extern from *:
    """
    #include <sys/types.h>
    #include <sys/stat.h>
    #include <unistd.h>
    #include <fcntl.h>
    #include <errno.h>
    static int ps_sync(int fd) {
    #ifdef __APPLE__
        return fcntl(fd, F_FULLFSYNC);
    #else
        return fdatasync(fd);
    #endif
    }
    static int ps_identify(int fd, unsigned long long *inode, off_t *size) {
        struct stat s;
        if (fstat(fd, &s)) return -1;
        *inode = (unsigned long long)s.st_ino;
        *size = s.st_size;
        return 0;
    }
    static int ps_dup(int fd) { return fcntl(fd, F_DUPFD_CLOEXEC, 0); }
    """
    int ps_sync(int fd) nogil
    int ps_identify(int fd, unsigned long long *inode, off_t *size) nogil
    int ps_dup(int fd) nogil

cdef extern from "<errno.h>":
    int ECANCELED

cdef extern from "<unistd.h>" nogil:
    ssize_t c_pwrite "pwrite" (int fd, const void *data, size_t length, off_t offset)
    ssize_t c_pread "pread" (int fd, void *data, size_t length, off_t offset)
    int c_ftruncate "ftruncate" (int fd, off_t length)
    int c_close "close" (int fd)


cdef int write_all(int fd, const char *data, size_t length, off_t offset) noexcept nogil:
    cdef ssize_t done
    while length > 0:
        done = c_pwrite(fd, data, length, offset)
        if done < 0:
            if errno == EINTR:
                continue
            return -1
        if done == 0:
            (&errno)[0] = ENOSPC
            return -1
        data += done
        offset += done
        length -= <size_t>done
    return 0


cdef int remember(Plan *plan, int fd, size_t length, off_t offset) noexcept nogil:
    """Keep the bytes that a write is about to replace, so that its loss can be simulated."""
    cdef Unsynced *entry = <Unsynced *>calloc(1, sizeof(Unsynced))
    cdef unsigned long long inode = 0
    cdef off_t size = 0
    cdef ssize_t got
    if entry == NULL or ps_identify(fd, &inode, &size):
        free(entry)
        return -1
    entry.fd = ps_dup(fd)
    entry.inode = inode
    entry.offset = offset
    entry.size_before = size
    if offset < size:
        entry.length = length if offset + <off_t>length <= size else <size_t>(size - offset)
        entry.before = <char *>malloc(entry.length)
        got = c_pread(fd, entry.before, entry.length, offset) if entry.before != NULL else -1
        entry.length = <size_t>got if got > 0 else 0
    entry.older = plan.unsynced
    plan.unsynced = entry
    return 0


cdef void forget(Plan *plan, int fd) noexcept nogil:
    """The file is synced: its writes can no longer be lost."""
    cdef unsigned long long inode = 0
    cdef off_t size = 0
    cdef Unsynced **link = &plan.unsynced
    cdef Unsynced *entry
    if ps_identify(fd, &inode, &size):
        return
    while link[0] != NULL:
        entry = link[0]
        if entry.inode == inode:
            link[0] = entry.older
            drop(entry)
        else:
            link = &entry.older


cdef void drop(Unsynced *entry) noexcept nogil:
    if entry.fd >= 0:
        c_close(entry.fd)
    free(entry.before)
    free(entry)


cdef void take_back(Unsynced *entry, bint shrink) noexcept nogil:
    if entry.length:
        write_all(entry.fd, entry.before, entry.length, entry.offset)
    if shrink:
        c_ftruncate(entry.fd, entry.size_before)


cdef void lose(Plan *plan) noexcept nogil:
    """Undo un-synced writes, newest first: all of them, or only the oldest (a disk that reorders)."""
    cdef Unsynced *entry
    while plan.unsynced != NULL:
        entry = plan.unsynced
        plan.unsynced = entry.older
        if plan.lose == 1:
            take_back(entry, True)
        elif plan.lose == 2 and entry.older == NULL:
            take_back(entry, False)
        drop(entry)


cdef int stopped_now(Plan *plan) noexcept nogil:
    """Count one operation; 0 go on, 1 this is the one that stops, -1 everything has stopped."""
    if plan.frozen:
        (&errno)[0] = ECANCELED
        return -1
    plan.operations += 1
    return 1 if plan.operations == plan.stop_at else 0


cdef int freeze(Plan *plan) noexcept nogil:
    if not plan.error or plan.lasting:
        plan.frozen = 1
        lose(plan)
    (&errno)[0] = plan.error if plan.error else ECANCELED
    return -1


cdef int guarded_write(Plan *plan, int fd, const char *data, size_t length, off_t offset) noexcept nogil:
    """Write all of it at `offset`; 0, or -1 with errno set."""
    cdef int now, result = -1
    cdef int64_t torn
    if plan == NULL:
        return write_all(fd, data, length, offset)
    pthread_mutex_lock(&plan.lock)
    now = stopped_now(plan)
    if now == 0:
        result = remember(plan, fd, length, offset) if plan.lose else 0
        if result == 0:
            result = write_all(fd, data, length, offset)
    elif now == 1:
        torn = plan.tear_bytes if plan.tear_bytes < <int64_t>length else <int64_t>length
        if torn > 0:
            write_all(fd, data, <size_t>torn, offset)
        result = freeze(plan)
    pthread_mutex_unlock(&plan.lock)
    return result


cdef int guarded_sync(Plan *plan, int fd) noexcept nogil:
    """Get the file's bytes to the disk; 0, or -1 with errno set."""
    cdef int now, result = -1
    if plan == NULL:
        return ps_sync(fd)
    pthread_mutex_lock(&plan.lock)
    now = stopped_now(plan)
    if now == 0:
        result = ps_sync(fd)
        if result == 0:
            forget(plan, fd)
    elif now == 1:
        result = freeze(plan)
    pthread_mutex_unlock(&plan.lock)
    return result


cdef int guarded_step(Plan *plan) noexcept nogil:
    """Count a rename, unlink or truncate; 0 when the caller may do it, or -1 with errno set."""
    cdef int now
    if plan == NULL:
        return 0
    pthread_mutex_lock(&plan.lock)
    now = stopped_now(plan)
    if now == 1:
        freeze(plan)
    pthread_mutex_unlock(&plan.lock)
    return 0 if now == 0 else -1


cdef Plan *plan_of(object faults) except? NULL:
    return NULL if faults is None else &(<Faults?>faults).plan


cdef class Faults:
    """The native half of a fault plan; `faults.Faults` describes it."""

    def __cinit__(self, *, int64_t stop_at=0, int64_t tear_bytes=0, int lose=0, int error=0, bint lasting=True):
        pthread_mutex_init(&self.plan.lock, NULL)
        self.plan.stop_at = stop_at
        self.plan.tear_bytes = tear_bytes
        self.plan.lose = lose
        self.plan.error = error
        self.plan.lasting = lasting

    def __dealloc__(self):
        cdef Unsynced *entry
        while self.plan.unsynced != NULL:
            entry = self.plan.unsynced
            self.plan.unsynced = entry.older
            drop(entry)
        pthread_mutex_destroy(&self.plan.lock)

    def strike(self, int what=0):
        """Have the accident now, between two operations."""
        cdef Plan *plan = &self.plan
        with nogil:
            pthread_mutex_lock(&plan.lock)
            plan.frozen = 1
            plan.lose = what
            lose(plan)
            pthread_mutex_unlock(&plan.lock)

    @property
    def operations(self):
        """How many operations were counted."""
        return self.plan.operations

    @property
    def frozen(self):
        """Whether the accident has happened."""
        return bool(self.plan.frozen)


def write(faults, int fd, const unsigned char[::1] data not None, off_t offset):
    """Write all of `data` at `offset`, or raise OSError."""
    cdef Plan *plan = plan_of(faults)
    cdef size_t length = data.shape[0]
    cdef int result, code
    if length == 0:
        return
    with nogil:
        result = guarded_write(plan, fd, <const char *>&data[0], length, offset)
        code = errno
    if result:
        raise OSError(code, os.strerror(code))


def sync(faults, int fd):
    """Sync this file or folder to the disk, or raise OSError."""
    cdef Plan *plan = plan_of(faults)
    cdef int result, code
    with nogil:
        result = guarded_sync(plan, fd)
        code = errno
    if result:
        raise OSError(code, os.strerror(code))


def step(faults):
    """Count an operation that the caller is about to do; raise OSError when it must not."""
    if guarded_step(plan_of(faults)):
        raise OSError(errno, os.strerror(errno))

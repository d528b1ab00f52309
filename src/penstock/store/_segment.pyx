# cython: language_level=3
"""Journal files: made, opened and given a new number, without the GIL.

A file is filled with zeros by writing them: overwriting blocks that exist syncs twice as often a
second as writing into a hole. It gets its name by a rename after its sync, so a file with a proper
name is always complete. The layout is in docs/internals/journal-format.md; `segments.py` reads it.
`_writer` and `segments.create_segment` are the callers; one at a time.
"""

from libc.errno cimport EEXIST, ENOENT, errno
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset
from posix.types cimport off_t

from penstock.store._checksum cimport crc32c_of
from penstock.store._disk cimport Plan, guarded_step, guarded_sync, guarded_write, plan_of

import os

cdef enum:
    ZEROS_BYTES = 1 << 20
    HEADER_BYTES = 48
    CHECKED_BYTES = 44
    CHECKSUM_CRC32C = 1

cdef extern from *:
    """
    #include <fcntl.h>
    #include <stdio.h>
    #include <stdint.h>
    #include <unistd.h>
    #if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    #error "the store's files are little-endian and so must the machine be"
    #endif
    struct ps_segment_header {
        char magic[8];
        uint32_t version, features, checksum, pages;
        uint64_t journal;
        int64_t number;
        uint32_t reserved, crc;
    };
    static void ps_name(char *out, size_t room, int64_t number, const char *ending) {
        snprintf(out, room, "S%07lld.%s", (long long)number, ending);
    }
    static int ps_open(int folder, const char *name) { return openat(folder, name, O_RDWR | O_CLOEXEC); }
    static int ps_create(int folder, const char *name) {
        return openat(folder, name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    }
    """
    struct ps_segment_header:
        char magic[8]
        uint32_t version
        uint32_t features
        uint32_t checksum
        uint32_t pages
        uint64_t journal
        int64_t number
        uint32_t reserved
        uint32_t crc
    void ps_name(char *out, size_t room, int64_t number, const char *ending) nogil
    int ps_open(int folder, const char *name) nogil
    int ps_create(int folder, const char *name) nogil

cdef extern from "<unistd.h>" nogil:
    ssize_t c_pread "pread" (int fd, void *data, size_t length, off_t offset)
    int c_close "close" (int fd)
    int c_unlinkat "unlinkat" (int folder, const char *name, int flags)
    int c_renameat "renameat" (int from_folder, const char *old, int to_folder, const char *new)


cdef void fill_header(Folder *folder, int64_t number, ps_segment_header *header) noexcept nogil:
    memset(header, 0, sizeof(ps_segment_header))
    memcpy(header.magic, b"PSTKJRNL", 8)
    header.version = SEGMENT_VERSION
    header.checksum = CHECKSUM_CRC32C
    header.pages = <uint32_t>(folder.segment_bytes // PAGE_BYTES)
    header.journal = folder.journal
    header.number = number
    header.crc = crc32c_of(0, header, CHECKED_BYTES)


cdef int is_ready(Folder *folder, int64_t number, int fd) noexcept nogil:
    """Whether the file's header is the one this segment must have."""
    cdef ps_segment_header wanted
    cdef ps_segment_header found
    fill_header(folder, number, &wanted)
    if c_pread(fd, &found, sizeof(found), 0) != <ssize_t>sizeof(found):
        return 0
    return found.crc == wanted.crc and found.number == number and found.journal == wanted.journal


cdef int fill_file(Folder *folder, int64_t number, int fd) noexcept nogil:
    cdef int64_t offset = 0
    cdef int64_t length
    cdef int result = 0
    cdef char *zeros = <char *>calloc(1, ZEROS_BYTES)
    if zeros == NULL:
        return -1
    fill_header(folder, number, <ps_segment_header *>zeros)
    while offset < folder.segment_bytes and result == 0:
        length = folder.segment_bytes - offset
        if length > ZEROS_BYTES:
            length = ZEROS_BYTES
        result = guarded_write(folder.plan, fd, zeros, <size_t>length, offset)
        if offset == 0:
            memset(zeros, 0, HEADER_BYTES)
        offset += length
    free(zeros)
    return result


cdef int name_file(Folder *folder, const char *old, const char *new) noexcept nogil:
    if guarded_step(folder.plan):
        return -1
    if c_renameat(folder.fd, old, folder.fd, new):
        return -1
    return guarded_sync(folder.plan, folder.fd)


cdef int make_segment(Folder *folder, int64_t number) noexcept nogil:
    """Create the file under a passing name, fill and sync it, then name it; its descriptor or -1."""
    cdef char passing[40]
    cdef char name[40]
    cdef int fd, saved
    ps_name(passing, 40, number, b"NEW")
    ps_name(name, 40, number, b"LOG")
    fd = ps_create(folder.fd, passing)
    if fd < 0:
        return -1
    if fill_file(folder, number, fd) or guarded_sync(folder.plan, fd) or name_file(folder, passing, name):
        saved = errno
        c_close(fd)
        if folder.plan == NULL or not folder.plan.frozen:
            c_unlinkat(folder.fd, passing, 0)  # a full disk gets its space back
        (&errno)[0] = saved
        return -1
    return fd


cdef int open_segment(Folder *folder, int64_t number) noexcept nogil:
    """Open the file of this number, made now when nobody prepared it; its descriptor or -1."""
    cdef char name[40]
    cdef int fd
    ps_name(name, 40, number, b"LOG")
    fd = ps_open(folder.fd, name)
    if fd >= 0:
        if is_ready(folder, number, fd):
            return fd
        c_close(fd)
    elif errno != ENOENT:
        return -1
    return make_segment(folder, number)


cdef int prepare_segment(Folder *folder, int64_t number) noexcept nogil:
    """Have the file of this number ready; 0 or -1."""
    cdef int fd = open_segment(folder, number)
    if fd < 0:
        return -1
    c_close(fd)
    return 0


cdef int recycle_segment(Folder *folder, int64_t old, int64_t number) noexcept nogil:
    """Give a file that is no longer needed the next number; 0 or -1.

    Its old blocks stay; they carry their old positions and are therefore never read as new ones.
    """
    cdef char old_name[40]
    cdef char name[40]
    cdef ps_segment_header header
    cdef int fd, result, saved
    ps_name(old_name, 40, old, b"LOG")
    ps_name(name, 40, number, b"LOG")
    fd = ps_open(folder.fd, name)
    if fd >= 0:
        c_close(fd)
        (&errno)[0] = EEXIST  # the writer was quicker and may be writing there
        return -1
    fd = ps_open(folder.fd, old_name)
    if fd < 0:
        return -1
    fill_header(folder, number, &header)
    result = guarded_write(folder.plan, fd, <const char *>&header, sizeof(header), 0)
    if result == 0:
        result = guarded_sync(folder.plan, fd)
    saved = errno
    c_close(fd)
    (&errno)[0] = saved
    return name_file(folder, old_name, name) if result == 0 else -1


def create_segment(str path, int64_t number, int64_t segment_bytes, uint64_t journal, faults=None):
    """Make one journal file in the folder `path`, or raise OSError. Only for a new journal."""
    cdef Folder folder
    cdef int result, code
    folder.segment_bytes = segment_bytes
    folder.journal = journal
    folder.plan = plan_of(faults)
    folder.fd = os.open(path, os.O_RDONLY)
    try:
        with nogil:
            result = prepare_segment(&folder, number)
            code = errno
    finally:
        os.close(folder.fd)
    if result:
        raise OSError(code, os.strerror(code), path)

cimport cython

from penstock.model._interrupts cimport python_follows
from penstock.model.message cimport Message
from penstock.qmgr.monitoring._wait_histogram cimport WaitHistogram
from penstock.qmgr.waiters cimport Match, Waiting

cdef int AVAILABLE, GONE, PACKED, LANES, MESSAGE_BYTES, BY_MSG_ID, BY_CORREL_ID, BY_GROUP_ID
cdef double WAIT_SECONDS_MIN


cdef class Queue


cdef class Lane:
    cdef public Message oldest
    cdef public Message newest
    cdef public Message free
    cdef public object blocks


cdef class Index:
    cdef public int kind
    cdef public dict entries
    cdef public bint complete
    cdef public int lane
    cdef public long long place
    cdef Message _last

    @cython.locals(key=bytes)
    cpdef bytes key_in(self, Match match)
    cdef bytes _key_of(self, Message message)
    @cython.locals(last=Message, message=Message)
    cpdef bint extend(self, Queue queue, Py_ssize_t count) except -1
    @cython.locals(first=Message)
    cpdef void add(self, Message message) except *
    cpdef void remove(self, Message message) except *
    @cython.locals(message=Message)
    cpdef Message find(self, Match match)


cdef class Queue:
    # the fields that a put uses come first, in few cache lines
    cdef public Py_ssize_t depth
    cdef public Py_ssize_t depth_max
    cdef public Py_ssize_t length_max
    cdef public bint put_enabled
    cdef public bint deleted
    cdef public bint temporary
    cdef public int default_priority
    cdef public bint by_priority
    cdef public int lane_number
    cdef public Lane lane
    cdef public Waiting waiting
    cdef public long long next_place
    cdef public int mask
    cdef public bint watched
    cdef public long long memory_bytes
    cdef public double last_put
    # counts since the start; `Counts` of qmgr/monitoring/counting.py names them
    cdef public long long puts
    cdef public long long put_bytes
    cdef public Py_ssize_t depth_peak
    cdef public long long gets
    cdef public long long get_bytes
    cdef public Py_ssize_t depth_trough
    cdef public double wait_seconds
    cdef public WaitHistogram waits
    cdef public object depth_events
    cdef public object trigger
    cdef public object service_interval
    cdef public object stream
    cdef public object arrivals

    cdef public str name
    cdef public long long id
    cdef public list lanes
    cdef public Py_ssize_t uncommitted
    cdef public Py_ssize_t spilled
    cdef public long long spilled_bytes
    cdef public Py_ssize_t packed
    cdef public object windows
    cdef public long long freed
    cdef public Py_ssize_t expiring
    cdef public double earliest_expiry
    cdef public Index by_msg_id
    cdef public Index by_correl_id
    cdef public Index by_group_id
    cdef public object groups
    cdef public int inputs
    cdef public int outputs
    cdef public bint exclusive
    cdef public object temporary_for
    cdef public double last_get
    cdef public Py_ssize_t depth_high
    cdef public Py_ssize_t interval_peak
    cdef public long long persistent_puts
    cdef public long long persistent_put_bytes
    cdef public long long persistent_gets
    cdef public long long persistent_get_bytes
    cdef public long long browses
    cdef public long long browse_bytes
    cdef public long long handed_over
    cdef public long long puts_failed
    cdef public long long gets_failed
    cdef public long long gets_empty
    cdef public long long puts_undone
    cdef public long long gets_undone
    cdef public long long expired
    cdef public long long purged
    cdef public object reset_counts
    cdef public object marks
    cdef public bint moves_backouts
    cdef public object definition
    cdef public bint get_enabled
    cdef public bint default_persistent
    cdef public object shared

    cpdef long long memory_used(self) noexcept
    @cython.locals(lane=Lane, last=Message, number=int)
    cpdef bint link(self, Message message) except -1
    @cython.locals(lane=Lane, older=Message, newer=Message)
    cpdef bint unlink(self, Message message) except -1
    @cython.locals(message=Message, newer=Message, number=int)
    cpdef list take_off(self, Py_ssize_t count, long long end)
    cdef Lane _lane_of(self, int number)
    cdef bint _advance(self, Lane lane, Message message) except -1
    @cython.locals(lane=Lane)
    cpdef bint hold(self, Message message, int state, object owner) except -1
    @cython.locals(lane=Lane, first=Message)
    cpdef bint free(self, Message message) except -1
    @cython.locals(lane=Lane, message=Message, number=int)
    cpdef Message first_available(self)
    @cython.locals(message=Message, number=int, behind=cython.longlong)
    cpdef Message after(self, int lane_number, long long place)
    @cython.locals(following=Message)
    cpdef Message next_linked(self, Message message)
    @cython.locals(message=Message, number=int, behind=cython.longlong)
    cpdef Message after_in_memory(self, int lane_number, long long place)
    @cython.locals(following=Message)
    cpdef Message next_in_memory(self, Message message)
    cpdef Index index_for(self, Match match)
    cdef Index _new_index(self, int kind)
    @cython.locals(index=Index)
    cpdef Index complete_index_for(self, Match match)
    cpdef void _index(self, Message message) except *
    cpdef void _forget(self, Message message) except *
    cpdef void _note_expiry(self, Message message) except *
    cpdef void drop_body(self, Message message) except *
    cpdef void restore_body(self, Message message, bytes body) except *
    cpdef void came_back(self, Message message) except *


cpdef void count_put(Queue queue, Message message) noexcept
@cython.locals(seconds=cython.double)
cpdef void count_got(Queue queue, Message message, double now) noexcept

cimport cython

from penstock.model._interrupts cimport python_follows
from penstock.model.ids cimport IdSource
from penstock.model.message cimport Message, plain_message
from penstock.qmgr.names.dependencies cimport Dependencies
from penstock.qmgr.queue cimport Index, Queue, count_got, count_put
from penstock.qmgr.step cimport Step, Wishes
from penstock.qmgr.monitoring.tracing cimport Tracer
from penstock.qmgr.unit_of_work cimport UnitOfWork
from penstock.qmgr.waiters cimport Match, Waiter, Waiting

cdef int AVAILABLE, GOT, GONE, PACKED, UNCOMMITTED, ACTIVE, COMMITTING, PREPARED, ENDED, FAILED
cdef int PUBLISH, COMMIT, CALL
cdef bytes NO_ID


cdef class Core:
    cdef public str name
    cdef public object journal
    cdef public object objects
    cdef public double started
    cdef public IdSource ids
    cdef public dict queues
    cdef public dict queues_by_id
    cdef readonly Dependencies dependencies
    cdef readonly Step step
    cdef readonly Wishes wishes
    cdef public long long next_seq
    cdef public long long next_unit
    cdef public dict units
    cdef public dict prepared
    cdef public dict connected
    cdef public object definition
    cdef public long long next_object
    cdef public object scan
    cdef public long long buffer_bytes
    cdef public long long persistent_buffer_bytes
    cdef public Py_ssize_t length_max
    cdef public Py_ssize_t uncommitted_max
    cdef public int priority_max
    cdef public object effects
    cdef public object sharing
    cdef public Tracer tracer
    cdef public long long commits
    cdef public long long backouts

    cpdef Message put_plain(self, Queue queue, bytes body, bytes msg_id, bytes correl_id, bint persistent, int priority, object context, UnitOfWork unit, double now, dict properties=*)
    @cython.locals(message=Message, body=bytes, count=cython.Py_ssize_t, longest=cython.Py_ssize_t)
    cpdef list put_batch(self, Queue queue, list bodies, int priority, object context, double now)
    cpdef bint check_put(self, Queue queue, Message message, UnitOfWork unit) except -1
    @cython.final
    cdef bint _count_put(self, Queue queue, Message message) except -1
    cpdef bint _check_unit(self, UnitOfWork unit) except -1
    cpdef bint check_queue(self, Queue queue, Message message) except -1
    @cython.locals(start=cython.longlong, position=cython.longlong)
    cpdef bint place(self, Queue queue, Message message, UnitOfWork unit) except -1
    cpdef bint enqueue(self, Queue queue, Message message, UnitOfWork unit) except -1
    cpdef long long _log_put(self, Queue queue, Message message, long long unit) except -1
    cpdef bint start_logging(self, UnitOfWork unit) except -1
    @cython.locals(waiting=Waiting, waiter=Waiter)
    cpdef bint publish(self, Queue queue, Message message) except -1
    cdef bint _keep(self, Queue queue, Message message) except -1
    cpdef void _hand_over(self, Queue queue, Message message, Waiter waiter) except *
    @cython.locals(unit=UnitOfWork, taken=Message)
    cpdef void answer(self, Queue queue, Message message, Waiter waiter) except *
    @cython.locals(message=Message, found=Message, expired=int)
    cpdef Message select(self, Queue queue, Match match, UnitOfWork unit, double now)
    @cython.locals(index=Index, found=Message)
    cpdef Message _find(self, Queue queue, Match match)
    @cython.locals(message=Message, best=Message)
    cpdef Message _own_put(self, Queue queue, Match match, UnitOfWork unit, double now)
    @cython.locals(got=Message)
    cpdef Message remove(self, Queue queue, Message message, UnitOfWork unit, double now)
    cpdef bint hold(self, Queue queue, Message message, UnitOfWork unit) except -1
    cpdef Message _remove_own_put(self, Queue queue, Message message, UnitOfWork unit)
    @cython.final
    cdef bint _count_get(self, Queue queue, Message message) except -1
    cpdef long long log_removed(self, Queue queue, Message message) except -1
    @cython.locals(waiter=Waiter)
    cdef void _retry(self, Queue queue, Message came) except *
    @cython.locals(waiter=Waiter)
    cdef void _let_search(self, Queue queue, Waiting waiting, Message message) except *
    cpdef Waiter wait(self, Queue queue, Match match, UnitOfWork unit, object wake)
    @cython.locals(message=Message, taken=Message)
    cpdef Message take(self, Queue queue, Match match, UnitOfWork unit, double now)
    @cython.locals(message=Message, queue=Queue)
    cdef void _offer(self, UnitOfWork unit) except *
    cdef void _on_disk(self, Queue queue, Message message, bint taken) except *
    cpdef void finish_commit(self, UnitOfWork unit) except *
    @cython.locals(message=Message, queue=Queue, left=Py_ssize_t, gets=list, puts=list, last=cython.bint)
    cdef Py_ssize_t _finish_some(self, UnitOfWork unit, Py_ssize_t most) except -1
    @cython.locals(message=Message, queue=Queue)
    cpdef void backout(self, UnitOfWork unit, double now) except *
    @cython.locals(left=Py_ssize_t, kind=int)
    cpdef long long durable(self, long long position) except -1
    @cython.locals(left=Py_ssize_t, puts=list, some=list, message=Message)
    cpdef void drop_some(self) except *
    @cython.locals(message=Message)
    cpdef void take_back(self, UnitOfWork unit, Py_ssize_t kept, Py_ssize_t most) except *
    @cython.locals(queue=Queue)
    cpdef void _drop_put(self, Message message) except *

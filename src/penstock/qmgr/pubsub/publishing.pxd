cimport cython

from penstock.model._interrupts cimport python_follows
from penstock.model.message cimport Message, plain_message
from penstock.qmgr.pubsub._prefetch cimport ahead
from penstock.qmgr.core cimport Core
from penstock.qmgr.queue cimport Queue, count_put
from penstock.qmgr.pubsub.subscription cimport Subscription
from penstock.qmgr.pubsub.topic_tree cimport TopicNode, TopicTree
from penstock.qmgr.unit_of_work cimport UnitOfWork

cdef int UNCOMMITTED, AS_PUBLISHED, AS_QUEUE, LEVEL_MAX
cdef int PUBLISH, CALL


cdef class Publisher:
    cdef public Core engine
    cdef public TopicTree tree
    cdef public object forms
    cdef public bint enabled
    cdef public object evaluations
    cdef public object take_steps
    cdef public object done
    cdef public long long published
    cdef public long long delivered

    @cython.locals(node=TopicNode, message=Message, lasting=cython.bint)
    cpdef Message publish_plain(self, str topic, bytes body, object persistent, object context, UnitOfWork unit, double now)
    cpdef Py_ssize_t fan_out(self, TopicNode node, Message message, list targets, object except_for, object keeper, UnitOfWork unit, double now) except -1
    @cython.locals(subscription=Subscription, queue=Queue, copy=Message, matched=Py_ssize_t, place=Py_ssize_t, reason=int, at_once=cython.bint, lasting=cython.bint, own=UnitOfWork)
    cpdef Py_ssize_t give(self, TopicNode node, Message message, list targets, object except_for, object keeper, UnitOfWork unit, double now, set served) except -1
    cpdef bint takes_long(self, TopicNode node, Py_ssize_t length, Py_ssize_t characters=*) except -1
    cdef bint _check_length(self, Message message) except -1
    cpdef void count(self, TopicNode node, Py_ssize_t copies, double now) noexcept
    @cython.locals(priority=int, copy=Message, correl_id=bytes)
    cpdef Message copy_for(self, Subscription subscription, Queue queue, Message message)
    @cython.locals(engine=Core, copy=Message, queue=Queue, position=cython.longlong, start=cython.longlong, counted=Py_ssize_t)
    cpdef bint hand_over(self, list copies, object keeper, UnitOfWork unit, double now) except -1
    cdef bint show(self, Queue queue, Message copy, double now) except -1
    @cython.locals(engine=Core, copy=Message, first=Message, number=cython.longlong, queue=Queue)
    cpdef long long _log(self, list copies, UnitOfWork unit) except -1


cpdef bint watched(Queue queue) except -1
cpdef int refusal(Queue queue, Message message) except -1

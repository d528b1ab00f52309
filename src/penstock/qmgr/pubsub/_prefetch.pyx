# cython: language_level=3, boundscheck=False, wraparound=False
"""Has the processor load what a fan-out needs next, some subscribers ahead.

With a thousand subscribers, their subscriptions, queues and last messages do not stay in the nearest cache, and
every copy would wait for memory. With the prefetch a further subscriber costs what the first ones do. It is a
hint: it changes nothing and cannot fail. Called by `publishing`.
"""

from cpython.list cimport PyList_GET_ITEM, PyList_GET_SIZE
from cpython.ref cimport PyObject

from penstock.qmgr.queue cimport Lane, Queue
from penstock.qmgr.pubsub.subscription cimport Subscription

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define ps_prefetch(address) __builtin_prefetch((address), 1)
    #else
    #define ps_prefetch(address) ((void)(address))
    #endif
    """
    void ps_prefetch(const void *address) noexcept nogil

cdef enum:
    LINE = 64
    SUBSCRIPTION_AHEAD = 10  # each step needs what the one before has brought
    QUEUE_AHEAD = 7
    LANE_AHEAD = 4
    MESSAGE_AHEAD = 2
    NEIGHBOURS = 176  # where the links of a message are


cpdef void ahead(list targets, Py_ssize_t place) noexcept:
    """Ask for what stands behind a place in a list of subscriptions."""
    cdef Py_ssize_t count = PyList_GET_SIZE(targets)
    cdef char *address
    cdef Subscription subscription
    cdef Lane lane
    if place + SUBSCRIPTION_AHEAD < count:
        address = <char *>(<PyObject *>PyList_GET_ITEM(targets, place + SUBSCRIPTION_AHEAD))
        ps_prefetch(address)
        ps_prefetch(address + LINE)
    if place + QUEUE_AHEAD < count:
        subscription = <Subscription>PyList_GET_ITEM(targets, place + QUEUE_AHEAD)
        ps_prefetch(<char *><PyObject *>subscription.correl_id)
        address = <char *><PyObject *>subscription.queue
        ps_prefetch(address)
        ps_prefetch(address + LINE)
        ps_prefetch(address + 2 * LINE)
    if place + LANE_AHEAD < count:
        subscription = <Subscription>PyList_GET_ITEM(targets, place + LANE_AHEAD)
        if subscription.queue is not None:
            ps_prefetch(<char *><PyObject *>subscription.queue.lane)
    if place + MESSAGE_AHEAD < count:
        subscription = <Subscription>PyList_GET_ITEM(targets, place + MESSAGE_AHEAD)
        if subscription.queue is not None and subscription.queue.lane is not None:
            lane = subscription.queue.lane
            if lane.newest is not None:
                address = <char *><PyObject *>lane.newest
                ps_prefetch(address)
                ps_prefetch(address + NEIGHBOURS)

cimport cython

from penstock.model._interrupts cimport python_follows
from penstock.model.message cimport Message
from penstock.qmgr.pubsub.subscription cimport Subscription



cdef class TopicNode:
    cdef public str text
    cdef public TopicNode parent
    cdef public int levels
    cdef public str key
    cdef public dict children
    cdef public dict subscriptions
    cdef public list matched
    cdef public list targets
    cdef public Py_ssize_t terms
    cdef public Py_ssize_t cost
    cdef public Py_ssize_t body_terms
    cdef public Py_ssize_t searches
    cdef public long long generation
    cdef public object settings
    cdef public long long settings_generation
    cdef public dict properties
    cdef public Message retained
    cdef public Py_ssize_t retained_below
    cdef public dict publishers
    cdef public double last_used
    cdef public double last_published
    cdef public long long published
    cdef public long long delivered
    cdef public double looked_at
    cdef public Py_ssize_t slot
    cdef public TopicNode before
    cdef public TopicNode behind


cdef class TopicTree:
    cdef public dict nodes
    cdef public object matcher
    cdef public long long generation
    cdef public long long settings_generation
    cdef public dict objects
    cdef public dict cluster_objects
    cdef public object refine
    cdef public list slots
    cdef public list free_slots
    cdef public Py_ssize_t characters
    cdef public TopicNode first
    cdef public TopicNode last
    cdef public TopicNode root

    @cython.locals(found=TopicNode)
    cpdef TopicNode node(self, str text, double now)
    @cython.locals(node=TopicNode)
    cpdef TopicNode ready(self, str text, double now)
    @cython.locals(found=TopicNode)
    cpdef TopicNode nearest(self, str text)
    @cython.locals(node=TopicNode, below=TopicNode, key=str)
    cpdef list _down(self, list keys)
    @cython.locals(node=TopicNode, end=Py_ssize_t, levels=int, key=str)
    cpdef TopicNode _grow(self, str text, double now)
    @cython.locals(parent=TopicNode)
    cpdef bint _enter(self, TopicNode node, str key, double now) except -1
    @cython.locals(parent=TopicNode)
    cpdef bint drop(self, TopicNode node) except -1
    cpdef bint removable(self, TopicNode node) except -1
    cpdef bint queue_up(self, TopicNode node, double now) except -1
    cpdef bint leave_line(self, TopicNode node) except -1
    @cython.locals(current=TopicNode, below=TopicNode)
    cpdef object settings_of(self, TopicNode node)
    @cython.locals(subscription=Subscription)
    cpdef bint refresh(self, TopicNode node) except -1
    @cython.locals(subscription=Subscription)
    cpdef bint count_terms(self, TopicNode node) except -1

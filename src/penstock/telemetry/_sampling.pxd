cimport cython


@cython.final
cdef class Span:
    cdef readonly bytes trace_id
    cdef readonly bytes span_id
    cdef readonly bytes parent_id
    cdef readonly bint sampled
    cdef readonly str name
    cdef readonly int kind
    cdef readonly dict attributes
    cdef readonly long long began
    cdef readonly long long ended
    cdef readonly str error
    cdef object _exporter
    cdef object _before
    cdef bint _holds_others

    cpdef dict carried(self, properties)
    cpdef void end(self, str error=*) except *


@cython.final
cdef class Sampler:
    cdef object _spans
    cdef unsigned long long _threshold
    cdef object _plain
    cdef Py_ssize_t _modules

    cpdef bint draw(self) noexcept
    cpdef Span of_put(self, object target, object properties)
    cdef bint _may_have_the_api(self)
    cdef Span _sent(self, object target, object parent)
    cdef tuple _carried_by(self, object message, object properties)
    cpdef bint carries(self, object properties, object descriptor) except -1

"""Makes assembly a compiled module: every node makes one for every message."""

cimport cython


cdef class Invocation:
    cdef public object ports, source
    cdef public bint transactional
    cdef object _environment
    cdef dict _notes
    cpdef share_environment(self, environment)


cdef class Assembly:
    cdef public object message
    cdef public Invocation invocation
    cdef object _local_environment, _exception_list
    cpdef Assembly sending(self, message=*, local_environment=*, exception_list=*)
    cpdef take_back(self, local_environment, exception_list)


@cython.locals(made=Invocation)
cpdef Invocation begun(ports, bint transactional, source)

@cython.locals(made=Assembly)
cpdef Assembly assembled(message, Invocation invocation, local_environment=*, exception_list=*)

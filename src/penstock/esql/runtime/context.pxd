"""Makes context a compiled module: a context is made for every message at every node."""

cimport cython
from penstock.tree.core._message cimport Message
from penstock.tree.core._reference cimport Reference


cdef class Context:
    cdef object _deployment, _databases, _now, _zone, _random
    cdef object _input_root, _input_local_environment, _input_exception_list
    cdef object _output_root, _output_local_environment, _output_exception_list, _environment
    cdef dict _scopes
    cdef public dict labels
    cdef public list levels
    cdef public object emit, log, sleep, uuid
    cdef public bint throws_database_errors
    cdef public object sqlcode, sqlstate, sqlnativeerror, sqlerrortext, handled

    @cython.locals(made=Context)
    cpdef Context renewed(self, root, environment, local_environment, exception_list, now)
    cpdef object made_environment(self)
    cpdef object made_local_environment(self)
    cpdef object made_exception_list(self)


@cython.locals(tree=Message)
cpdef Reference root_reference(Message message=*)

@cython.locals(root=Reference)
cdef object _tree_of(held)

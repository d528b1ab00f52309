cimport cython

from penstock.model.message cimport Message, plain_message


@cython.locals(outer=Message)
cpdef Message for_transmission(object engine, object route, Message message, double now, int hops=*)

@cython.locals(length=cython.Py_ssize_t, most=cython.Py_ssize_t)
cpdef void _check_header(object engine, object queue, Message message, object onward) except *

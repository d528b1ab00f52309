"""Makes message_batch a compiled module: the outputs of flows go through it."""

cimport cython
from penstock.face._clock cimport now as clock
from penstock.host.plain_route cimport PlainRoute
from penstock.host.session cimport Session
from penstock.model.message cimport Message, is_watched
from penstock.qmgr.names.dependencies cimport all_valid
from penstock.qmgr.unit_of_work cimport UnitOfWork


@cython.locals(session=Session, unit=UnitOfWork, message=Message, route=PlainRoute, queue=str, last=str, index=Py_ssize_t, now=double)
cpdef put_in_unit(object qm, list outputs, Py_ssize_t start)

@cython.locals(known=tuple)
cdef bint put_alike(Session session, str queue, PlainRoute route, Message message, options, UnitOfWork unit, double now) except -1

@cython.locals(route=PlainRoute)
cdef PlainRoute route_to(Session session, str queue)

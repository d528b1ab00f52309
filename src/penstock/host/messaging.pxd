from penstock.face._clock cimport now as clock
from penstock.host.session cimport Session
from penstock.model.message cimport Message, plain_receipt
from penstock.qmgr.unit_of_work cimport UnitOfWork
from penstock.qmgr.waiters cimport Match
cimport cython


@cython.locals(unit=UnitOfWork, message=Message)
cdef list _put_each(object qm, Session session, str queue, list bodies, dict details)
@cython.locals(message=Message, now=cython.double)
cdef bint _take_more(Session session, str queue, Py_ssize_t count, list found, Match match, UnitOfWork unit) except -1

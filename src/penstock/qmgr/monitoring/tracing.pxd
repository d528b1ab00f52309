from penstock.model.message cimport Message
from penstock.qmgr.monitoring.accounts cimport Account
from penstock.qmgr.queue cimport Queue
from penstock.qmgr.unit_of_work cimport UnitOfWork


cdef class Tracer:
    cdef void put(self, Queue queue, Message message, Account account) noexcept
    cdef void got(self, Queue queue, Message message, Account account) noexcept
    cdef void ended(self, UnitOfWork unit, str how) noexcept

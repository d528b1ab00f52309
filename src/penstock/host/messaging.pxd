from penstock.face._clock cimport now as clock
from penstock.host.committing cimport Committing
from penstock.model.message cimport plain_receipt


cdef class Messaging(Committing):
    pass

from penstock.face._clock cimport now as clock
from penstock.host.publishing cimport Publishing


cdef class Committing(Publishing):
    pass

from penstock.host._gate cimport now as clock
from penstock.host.publishing cimport Publishing


cdef class Committing(Publishing):
    pass

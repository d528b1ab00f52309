"""Makes assembly a compiled module: a flow parses and serialises a whole message for every message."""

cimport cython
from penstock.model.message cimport Message as QueueMessage
from penstock.tree.core._arena cimport Domain
from penstock.tree.core._message cimport Message, queued_message
from penstock.tree.core._reference cimport Reference


cdef class Reader:
    cdef str domain, set, type, format
    cdef object model, last
    cdef tuple said
    cdef Domain form
    cdef bint doctype
    cdef int encoding, text_ccsid
    cpdef Message tree(self, QueueMessage source, bint transactional)
    cdef bint _plain(self, own) except -1


cpdef QueueMessage serialise_message(Message message)

cdef Message _with_headers(Message message, tuple about, list headers)

@cython.locals(source=QueueMessage, own=object, data=bytes, ccsid=int, encoding=int)
cdef QueueMessage _with_new_body(Message message)

@cython.locals(form=Domain)
cdef bytes _body_bytes(Message message, Reference body, int encoding, int ccsid)

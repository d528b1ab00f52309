cpdef void write(object conversation, int kind, unsigned long request, object subject) except *

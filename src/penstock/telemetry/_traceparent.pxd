cpdef str written(bytes trace_id, bytes span_id, bint sampled)
cpdef tuple read(object text)

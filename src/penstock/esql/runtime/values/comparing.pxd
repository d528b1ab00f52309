"""Makes comparing a compiled module: the casts of comparisons are called for every operator of a program."""

cpdef tuple aligned(a, b)
cdef _as_type_of(other, str text)

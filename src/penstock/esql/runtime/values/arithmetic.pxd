"""Makes arithmetic a compiled module: arithmetic on mixed values are called for every operator of a program."""

cpdef arithmetic(str sign, a, b)

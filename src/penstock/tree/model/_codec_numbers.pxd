"""Declarations of what other codecs share."""

cdef object scaled_decimal(object digits, int scale)
cdef object unscaled(object value, int scale)

"""Declarations for the source of an XML body."""

from penstock.tree.core._arena cimport Arena

cdef bytes readable(Arena tree)

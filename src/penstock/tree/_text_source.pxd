"""Declarations for the sources of bodies that are text."""

from penstock.tree._arena cimport Arena

cdef bytes utf8_source(Arena tree)

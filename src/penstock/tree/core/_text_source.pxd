"""Declarations for the sources of bodies that are text."""

from penstock.tree.core._arena cimport Arena

cdef bytes utf8_source(Arena tree)

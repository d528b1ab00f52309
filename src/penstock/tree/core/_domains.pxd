"""Declarations of the register of domains."""

from penstock.tree.core._arena cimport Domain

cdef Domain domain_named(str name)
cdef Domain domain_for(str name, object model, object message, object format)

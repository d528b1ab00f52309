"""Makes cast_numbers a compiled module: text of XML is cast before every calculation."""

from penstock.tree.core._path cimport Path as TreePath
from penstock.tree.core._reference cimport Reference as TreeReference

cpdef to_float(value, format=*)
cpdef field_as_float(TreeReference base, TreePath path)
cdef _quick_float(str value)

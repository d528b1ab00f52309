"""Makes rows a compiled module: rows and lists are called for every row of a SELECT."""

from penstock.esql.runtime.values.operators cimport add, less
from penstock.tree.core._path cimport Path as TreePath
from penstock.tree.core._reference cimport Reference as TreeReference

cpdef put_column(TreeReference row, TreePath path, value, indexes=*)
cpdef sum_of(total, value)
cpdef least(found, value)
cpdef greatest(found, value)

"""SWIFT MT: the notation of fields, the tables of types, and the check of a message against its table.

The blocks and fields themselves are the domain SWIFT (`tree/swift/_scanner.pyx`, `_writer.pyx`).
"""

from penstock.tree.swift.notation import Notation
from penstock.tree.swift.table import Table, add_table, table_of
from penstock.tree.swift.validation import Problem, check, validate

__all__ = ["Notation", "Problem", "Table", "add_table", "check", "table_of", "validate"]

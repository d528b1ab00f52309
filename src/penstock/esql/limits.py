"""Named limits of size, depth and number for the contents of files.

Numbers only. Invariant: NESTING_MAX keeps the deepest recursion of parser, checker and printer at about 600
frames, below Python's own limit of 1,000 (a test runs programs at the limit through all three).
"""

SOURCE_BYTES_MAX = 8_388_608  # one .esql file; generated ones have some hundred kilobytes
NESTING_MAX = 100  # blocks, parentheses, function calls and SELECTs within each other
COMPARISONS_MAX = 16  # comparisons in a row without parentheses: a = b = c ...
PATH_STEPS_MAX = 1_000  # of one field reference; a path of the message tree has no more
FINDINGS_MAX = 1_000  # reported of one file; what comes after is cut off with a note
SUGGESTIONS_MAX = 50  # times a file's names are searched for one that comes near an unknown name
FILES_MAX = 20_000  # .esql files in one check

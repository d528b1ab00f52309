"""Room store: journal, message files, checkpoints. It must never lose anything.

It keeps bytes and positions and does not know what a queue means. Start at `journal.py`,
`message_files.py` and `checkpoint.py`; the formats are in docs/internals.
"""

"""Fields of message trees as programs use them: paths, references, rows, creation and moves."""

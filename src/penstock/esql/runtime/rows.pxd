"""Makes rows a compiled module: rows and lists are called for every operator of a program."""

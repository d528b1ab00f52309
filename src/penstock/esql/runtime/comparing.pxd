"""Makes comparing a compiled module: the casts of comparisons are called for every operator of a program."""

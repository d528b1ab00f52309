"""Makes operators a compiled module: arithmetic, comparisons and logic are called for every operator of a program."""

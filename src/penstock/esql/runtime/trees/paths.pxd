"""Makes paths a compiled module: a row of SELECT may ask for one."""

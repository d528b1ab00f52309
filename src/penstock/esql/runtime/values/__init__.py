"""The values of ESQL: types, literals, operators, and the functions of numbers and strings."""

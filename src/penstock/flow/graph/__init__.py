"""The graph of a flow: built, flattened, validated and compiled to functions."""

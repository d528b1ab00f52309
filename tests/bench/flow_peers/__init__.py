"""Flows beside what people would use instead: a loop by hand, a Redis-stream script, Bytewax, Node-RED."""

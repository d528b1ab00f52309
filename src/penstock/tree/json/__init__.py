"""JSON: scanner, writer and domain."""

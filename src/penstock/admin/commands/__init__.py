"""The commands themselves, with typed arguments: whatever they were written in, these carry them out."""

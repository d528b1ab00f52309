"""The tree itself: elements in an arena, names, paths, references and values; no formats."""

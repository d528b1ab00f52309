"""Cheat sheets: one Markdown file per subject; the tests run every line that begins with `$`."""

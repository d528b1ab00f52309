"""One module per page: a function that takes a `Visit` and returns a `Page` for the template of its name."""

"""Headers before a body as folders of the tree: one domain per header."""

"""A queue manager as a member of a queue-sharing group."""

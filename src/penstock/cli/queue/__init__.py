"""`penstock queue`: the queues of a queue manager; one file per command."""

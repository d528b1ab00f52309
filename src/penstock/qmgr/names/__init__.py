"""From a name to the queue that is meant."""

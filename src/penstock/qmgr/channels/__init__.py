"""What the engine knows of message channels: batches in doubt, synch records, delivery at the far end."""

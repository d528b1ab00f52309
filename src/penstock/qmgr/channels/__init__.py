"""The engine's part of message channels: batches in doubt, synch records, delivery at the receiving end."""

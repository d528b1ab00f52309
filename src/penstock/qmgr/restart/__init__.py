"""From the disk back to a running engine: recovery, checkpoints, the journal's history."""

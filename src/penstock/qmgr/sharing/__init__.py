"""Room qmgr, sharing: the engine's half of shared queues; no I/O."""

"""Room qmgr, sharing: what the engine knows of shared queues; no I/O."""

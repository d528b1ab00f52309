"""Room qmgr."""

"""Room qmgr, catalogue: what attributes each kind of object has, one file a kind."""

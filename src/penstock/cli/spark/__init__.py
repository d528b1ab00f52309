"""`penstock spark`: the warm Spark session, and archives for workers; one file per command."""

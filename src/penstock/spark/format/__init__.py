"""The Spark format "penstock": sources, sinks, columns and options."""

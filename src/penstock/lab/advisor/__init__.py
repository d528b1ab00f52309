"""The advisor: the tuning advice of the reports that applies to a running queue manager."""

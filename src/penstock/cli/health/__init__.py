"""`penstock health`: checks for probes and monitoring systems; one file per check."""

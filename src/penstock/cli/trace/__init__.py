"""`penstock trace`: what a queue manager does, recorded while it runs; one file per command."""

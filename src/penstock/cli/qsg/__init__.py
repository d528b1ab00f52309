"""Commands of `penstock qsg`: queue-sharing groups."""

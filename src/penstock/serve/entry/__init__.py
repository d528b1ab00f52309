"""From a new socket to a user who may speak: protocols, TLS, passwords, refusals."""

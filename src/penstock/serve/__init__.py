"""The queue manager on the network: loop, listeners, admission, TLS, conversations."""

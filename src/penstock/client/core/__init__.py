"""What both clients do, without I/O: verbs as generators of steps, performed by the driver of each client."""

"""Message channels in the server's loop: sockets, timers and states around the ends of room `channel`."""

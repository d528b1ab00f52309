"""What programs see, shared by embedded programs and clients: arguments, units of work, consuming."""

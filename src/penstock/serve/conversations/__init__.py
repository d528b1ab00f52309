"""What a client asks for on a link, and how it is answered."""

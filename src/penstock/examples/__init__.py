"""Flow projects that come with Penstock: the demo runs `orders`."""

"""From nothing to a Spark session: Java, its class archive, sessions that stay warm, packages for workers."""

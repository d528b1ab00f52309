"""Room admin, commands: one file a command."""

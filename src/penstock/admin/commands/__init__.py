"""Room admin, commands: one file per command."""

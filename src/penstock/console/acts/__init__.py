"""What people do in the console: every act is shown before it is done, and is in the audit log."""

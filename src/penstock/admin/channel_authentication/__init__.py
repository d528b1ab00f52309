"""Channel authentication: who may connect through which channel, and as which user."""

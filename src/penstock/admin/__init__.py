"""Room admin: MQSC, from text to replies."""

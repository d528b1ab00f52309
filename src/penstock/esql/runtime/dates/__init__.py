"""Dates and times: functions, and FORMAT patterns in both directions."""

"""Files for flows: records in them, claims on them, and what happens to them afterwards. Only this folder
opens them.
"""

"""Files for flows: records in them, claims on them, what becomes of them. Only this folder opens them."""

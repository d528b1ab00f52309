"""Looking through queues: browsing, scans in steps, marks, expiry."""

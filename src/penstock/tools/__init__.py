"""Tools for administrators: doctor, dead letters, trigger monitor."""

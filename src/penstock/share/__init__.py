"""Room share: the facility of a queue-sharing group, a schema in PostgreSQL. Imported only by a member."""

CREATE TABLE customer (id INTEGER PRIMARY KEY, name VARCHAR(40), city VARCHAR(40));
CREATE TABLE seen (id INTEGER, customer VARCHAR(40));
INSERT INTO customer VALUES (1, 'Ada', 'London'), (2, 'Ben', 'Lima');

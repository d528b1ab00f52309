CREATE TABLE reservation (passenger VARCHAR(40), flight VARCHAR(8), seats INTEGER);

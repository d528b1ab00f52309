"""Makes cast_numbers a compiled module: text of XML is cast before every calculation."""

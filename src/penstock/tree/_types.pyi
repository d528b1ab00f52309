XMLNSC_TYPES: dict[str, int]
XML_TYPES: dict[str, int]
JSON_TYPES: dict[str, int]
GENERIC_TYPES: dict[str, int]

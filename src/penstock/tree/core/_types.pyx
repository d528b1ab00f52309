# cython: language_level=3
"""Field types: the numbers that ESQL programs use, their names, and their roles.

The numbers of XMLNSC, JSON and the generic ones are IBM's; those of declarations, comments and instructions
in XMLNS and XML are from traces, as far as known. A role is what an element is to its domain (attribute,
text, comment ...), so that writers need not compare numbers.
"""

from penstock.tree.core._element cimport (
    R_ARRAY, R_ATTRIBUTE, R_CDATA, R_COMMENT, R_DECLARATION, R_ELEMENT, R_INSTRUCTION, R_NAMESPACE, R_REFUSED,
    R_TEXT,
)


cdef int role_of(uint32_t type_, bint verbose) noexcept:
    if type_ == T_NAME:
        return R_ELEMENT
    if type_ == T_NAME_VALUE:
        return R_ATTRIBUTE if verbose else R_ELEMENT
    if (type_ == T_ATTRIBUTE or type_ == T_SINGLE_ATTRIBUTE or type_ == T_VERSION or type_ == T_ENCODING
            or type_ == T_STANDALONE):
        return R_ATTRIBUTE
    if type_ == T_NAMESPACE or type_ == T_SINGLE_NAMESPACE or type_ == T_VERBOSE_NAMESPACE:
        return R_NAMESPACE
    if type_ == T_VALUE:
        return R_TEXT
    if type_ == T_CDATA_VALUE:
        return R_CDATA
    if type_ == T_COMMENT or type_ == T_VERBOSE_COMMENT:
        return R_COMMENT
    if type_ == T_INSTRUCTION or type_ == T_VERBOSE_INSTRUCTION:
        return R_INSTRUCTION
    if type_ == T_DECLARATION or type_ == T_VERBOSE_DECLARATION:
        return R_DECLARATION
    if type_ == T_ARRAY:
        return R_ARRAY
    if (type_ == T_DOCUMENT_TYPE or type_ == T_ENTITY_REFERENCE or type_ == T_ENTITY_DEFINITION
            or type_ == T_SINGLE_ENTITY_DEFINITION):
        return R_REFUSED
    return R_ELEMENT


XMLNSC_TYPES = {
    "Folder": T_NAME,
    "Field": T_NAME_VALUE,
    "CDataField": T_CDATA_FIELD,
    "Value": T_VALUE,
    "CDataValue": T_CDATA_VALUE,
    "Attribute": T_ATTRIBUTE,
    "SingleAttribute": T_SINGLE_ATTRIBUTE,
    "SingleNamespaceDecl": T_SINGLE_NAMESPACE,
    "NamespaceDecl": T_NAMESPACE,
    "DocumentType": T_DOCUMENT_TYPE,
    "XmlDeclaration": T_DECLARATION,
    "EntityReference": T_ENTITY_REFERENCE,
    "EntityDefinition": T_ENTITY_DEFINITION,
    "SingleEntityDefinition": T_SINGLE_ENTITY_DEFINITION,
    "Comment": T_COMMENT,
    "ProcessingInstruction": T_INSTRUCTION,
}
XML_TYPES = {
    "Element": T_NAME,
    "Attribute": T_NAME_VALUE,
    "Content": T_VALUE,
    "CDataSection": T_CDATA_VALUE,
    "NamespaceDecl": T_VERBOSE_NAMESPACE,
    "XmlDecl": T_VERBOSE_DECLARATION,
    "Version": T_VERSION,
    "Encoding": T_ENCODING,
    "Standalone": T_STANDALONE,
    "Comment": T_VERBOSE_COMMENT,
    "ProcessingInstruction": T_VERBOSE_INSTRUCTION,
}
JSON_TYPES = {"Object": T_NAME, "Array": T_ARRAY, "NameValue": T_NAME_VALUE}
GENERIC_TYPES = {"Name": T_NAME, "Value": T_VALUE, "NameValue": T_NAME_VALUE}
MQRFH2_TYPES = {"Field": T_NAME_VALUE}


# The names of fields that a path may give by their type alone.
NAMES_BY_TYPE = {
    T_DECLARATION: "XmlDeclaration",
    T_VERBOSE_DECLARATION: "XmlDecl",
    T_VERSION: "Version",
    T_ENCODING: "Encoding",
    T_STANDALONE: "Standalone",
}


def _capitals(names: dict[str, int], **more: int) -> dict[str, int]:
    return {name.upper(): number for name, number in {**names, **more}.items()}


# By domain and name in capitals, as ESQL programs write them; "" has the generic ones.
TYPE_CONSTANTS = {
    "": _capitals(GENERIC_TYPES),
    "XMLNSC": _capitals(XMLNSC_TYPES, DoubleAttribute=T_ATTRIBUTE, Element=T_NAME, DoubleNamespaceDecl=T_NAMESPACE),
    "SOAP": _capitals(XMLNSC_TYPES),
    "XMLNS": _capitals(XML_TYPES, attr=T_NAME_VALUE, tag=T_NAME, pcdata=T_VALUE, ParserRoot=T_NAME),
    "XML": _capitals(XML_TYPES, attr=T_NAME_VALUE, tag=T_NAME, pcdata=T_VALUE, ParserRoot=T_NAME),
    "JSON": _capitals(JSON_TYPES),
    "MQRFH2": _capitals(MQRFH2_TYPES),
    "MQRFH2C": _capitals(MQRFH2_TYPES),
}

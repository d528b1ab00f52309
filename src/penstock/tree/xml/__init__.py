"""XML in all its domains: XML, XMLNS, XMLNSC, MRM XML and SOAP."""

"""Message models: one logical message, several physical formats.

`Model`, `Type`, `Group`, `Field` and `Value` describe the contents of a message; `CwfFormat` with `Cwf` its
form as a fixed structure, `TdsFormat` with `TdsType` and `Tds` as tagged or delimited text, `XmlFormat` with
`Xml` as XML. `read_model` reads the same from YAML, `import_copybook` a COBOL record description,
`import_xsd` an XML Schema, `import_message_set` a folder with `messageSet.mset`, `import_dfdl` a DFDL schema.
`tree.parse(data, domain="MRM", model=model, format=...)` uses it. Formats and importers are imported at their
first use: a program without models does not load them. `__init__.pyi` lists the names.
"""

from penstock.lazy_names import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)

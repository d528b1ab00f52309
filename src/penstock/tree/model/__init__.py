"""Message models: one logical message, several physical formats.

`Model`, `Type`, `Group`, `Field` and `Value` describe the contents of a message; `CwfFormat` with `Cwf` its
form as a fixed structure, `TdsFormat` with `TdsType` and `Tds` as tagged or delimited text, `XmlFormat` with
`Xml` as XML. `read_model` reads the same from YAML, `import_copybook` a COBOL record description,
`import_xsd` an XML Schema, `import_message_set` a folder with `messageSet.mset`, `import_dfdl` a DFDL schema.
`tree.parse(data, domain="MRM", model=model, format=...)` uses it. Formats and importers are imported at their
first use: a program without models does not load them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from penstock.tree.model.logical import Field, Group, Model, Type, Value

if TYPE_CHECKING:
    from penstock.tree.model.copybook import import_copybook
    from penstock.tree.model.cwf import Cwf, CwfFormat
    from penstock.tree.model.dfdl import import_dfdl
    from penstock.tree.model.mxsd import import_message_set
    from penstock.tree.model.tds import Tds, TdsFormat, TdsType
    from penstock.tree.model.xml import Xml, XmlFormat
    from penstock.tree.model.xsd import import_xsd
    from penstock.tree.model.yaml_model import read_model

PLACES = {
    "Cwf": "cwf",
    "CwfFormat": "cwf",
    "Tds": "tds",
    "TdsFormat": "tds",
    "TdsType": "tds",
    "Xml": "xml",
    "XmlFormat": "xml",
    "import_copybook": "copybook",
    "import_dfdl": "dfdl",
    "import_message_set": "mxsd",
    "import_xsd": "xsd",
    "read_model": "yaml_model",
}

__all__ = [
    "Cwf",
    "CwfFormat",
    "Field",
    "Group",
    "Model",
    "Tds",
    "TdsFormat",
    "TdsType",
    "Type",
    "Value",
    "Xml",
    "XmlFormat",
    "import_copybook",
    "import_dfdl",
    "import_message_set",
    "import_xsd",
    "read_model",
]


def __getattr__(name: str) -> Any:
    """Import the module of a format or importer at its first use."""
    if name not in PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{PLACES[name]}"), name)
    globals()[name] = found
    return found

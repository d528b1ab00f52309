"""Message models: one logical message, several physical formats.

`Model`, `Type`, `Group`, `Field` and `Value` say what a message consists of; `CwfFormat` with `Cwf` how it
looks as a fixed structure, `TdsFormat` with `TdsType` and `Tds` how as tagged or delimited text, `XmlFormat`
with `Xml` how as XML. `read_model` reads the same from YAML, `import_copybook` a COBOL record description,
`import_xsd` an XML Schema, `import_message_set` a folder with `messageSet.mset`, `import_dfdl` a
DFDL schema.
`tree.parse(data, domain="MRM", model=model, format=...)` reads it. Formats and importers are imported when
they are first named: a program without models does not wait for them.
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
    """Import the module of a format or importer that is named for the first time."""
    if name not in PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{PLACES[name]}"), name)
    globals()[name] = found
    return found

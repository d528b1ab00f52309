from penstock.tree.core._arena import Domain
from penstock.tree.model._part import Part

AS_ELEMENT: int
AS_ATTRIBUTE: int

class XmlPart(Part):
    render: int
    opening: bytes
    closing: bytes
    id_text: bytes
    value_text: bytes
    is_string: bool
    loop: int
    def __init__(
        self,
        name: str,
        namespace: str = "",
        *,
        xml_name: str = "",
        xml_namespace: str = "",
        value_name: str = "",
    ) -> None: ...
    def note_shared(self) -> None: ...

class MrmXmlDomain(Domain):
    def __init__(
        self, name: str, root: XmlPart, *, declaration: bool = False, namespaces: bool = False, ccsid: int = 0
    ) -> None: ...

from penstock.tree.core._arena import Domain

class XMLNSC(Domain):
    def __init__(self) -> None: ...

class XMLNS(Domain):
    def __init__(self) -> None: ...

class XML(Domain):
    def __init__(self) -> None: ...

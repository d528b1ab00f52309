from penstock.tree._arena import Domain

class XMLNSC(Domain):
    def __init__(self) -> None: ...

from penstock.tree._arena import Domain

class XMLNS(Domain):
    def __init__(self) -> None: ...

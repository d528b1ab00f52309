from penstock.tree.core._arena import Domain

class JSON(Domain):
    def __init__(self) -> None: ...

from penstock.tree._arena import Domain

class JSON(Domain):
    def __init__(self) -> None: ...

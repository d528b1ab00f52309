from penstock.tree._arena import Domain

class XML(Domain):
    def __init__(self) -> None: ...

from penstock.tree._arena import Domain

class SWIFT(Domain):
    def __init__(self) -> None: ...

from penstock.tree.core._arena import Domain

class SWIFT(Domain):
    def __init__(self) -> None: ...

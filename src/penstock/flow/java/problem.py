"""Why Java source cannot be run here: a line and a reason."""

from __future__ import annotations


class JavaProblem(Exception):
    """Something in a source file that is not supported; `file` is added by whoever knows it."""

    def __init__(self, line: int, text: str, file: str = "") -> None:
        super().__init__(text)
        self.line = line
        self.text = text
        self.file = file

    def __str__(self) -> str:
        return f"{self.file or 'Java'}, line {self.line}: {self.text}"

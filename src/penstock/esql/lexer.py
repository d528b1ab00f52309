"""The lexer: from a source to tokens and comments.

It has no keywords; whether a word is one depends on its position, and the parser decides. Block comments
nest. It never fails: invalid text becomes a finding, and reading continues after it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from penstock.esql.findings import finding
from penstock.esql.limits import FINDINGS_MAX
from penstock.esql.tokens import (
    WORD_BIT,
    WORD_BLOB,
    WORD_END,
    WORD_NUMBER,
    WORD_QUOTED,
    WORD_STRING,
    Comment,
    Kind,
    Tokens,
)

if TYPE_CHECKING:
    from penstock.esql.source import Source

# The first seven groups are those of Kind, in its order.
_TOKEN = re.compile(
    r"""[\s\ufeff\u200b\x00\x1a]*+ (?:
      ((?![XxBb]')[^\W\d]\w*+)
    | ("[^"\r\n]*+(?:""[^"\r\n]*+)*+")
    | (<>|<=|>=|\|\||[=<>+*,;:()\[\]{}?.]|-(?!-)|/(?!\*))
    | ('[^']*+(?:''[^']*+)*+')
    | (0[xX][0-9a-fA-F]++|\d++(?:\.\d++)?(?:[eE][+-]?\d++)?)
    | ([Xx]'[^'\r\n]*+')
    | ([Bb]'[^'\r\n]*+')
    | (--[^\r\n]*+)
    | (/\*)
    | (.)
    )""",
    re.VERBOSE | re.DOTALL,
)
_COMMENT, _BLOCK, _BAD = 8, 9, 10
_HALF = re.compile("[\ud800-\udfff]")
_BLOCK_MARK = re.compile(r"/\*|\*/")
_LINE_REST = re.compile(r"[^\r\n]*")
_WORDS = ("", "", WORD_QUOTED, "", WORD_STRING, WORD_NUMBER, WORD_BLOB, WORD_BIT)
_LIKELY = {
    "!": "ESQL writes <> for not equal",
    "%": "ESQL has no % operator; use MOD(a, b)",
    "|": "ESQL joins text with ||",
    "&": "ESQL writes AND, and || to join text",
    "@": "an attribute is written (XMLNSC.Attribute)name",
    "`": 'a name in quotes is written "name"',
    "\\": "text is written in single quotes, 'a\\b'",
    **dict.fromkeys("\u2018\u2019\u201a\u201b", "this is a typographic quote; write '"),
    **dict.fromkeys("\u201c\u201d\u201e", 'this is a typographic quote; write "'),
    **dict.fromkeys("\u2013\u2014\u2212", "this is a typographic dash; write -"),
}


def tokenise(source: Source) -> Tokens:
    """Return the tokens of a source, the comments between them, and the invalid parts."""
    tokens = Tokens(source)
    kinds, words, texts, starts = tokens.kinds, tokens.words, tokens.texts, tokens.starts
    match_at, text, position = _TOKEN.match, source.text, 0
    while match := match_at(text, position):
        group = match.lastindex or _BAD
        position = match.end()
        if group < _COMMENT:
            piece = match[group]
            kinds.append(group)
            texts.append(piece)
            words.append(piece.upper() if group == 1 else piece if group == 3 else _WORDS[group])
            starts.append(position - len(piece))
            if group > 4:
                _check_literal(tokens, group, piece, position)
        elif group == _COMMENT:
            tokens.comments.append(Comment(match.start(group), position, match[group]))
        else:
            position = _read_rest(tokens, group, match.start(group))
            if len(tokens.findings) >= FINDINGS_MAX:
                break
    half = _HALF.search(text)
    if half is not None and all(found.at != half.start() for found in tokens.findings):
        _find(tokens, "E101", "half of a surrogate pair is not a character", half.start(), 1)
    _append(tokens, Kind.END, WORD_END, "", len(text))
    return tokens


def _append(tokens: Tokens, kind: Kind, word: str, text: str, at: int) -> None:
    tokens.kinds.append(kind)
    tokens.words.append(word)
    tokens.texts.append(text)
    tokens.starts.append(at)


def _check_literal(tokens: Tokens, kind: int, piece: str, end: int) -> None:
    text, at = tokens.source.text, end - len(piece)
    if kind == Kind.NUMBER:
        if end < len(text) and (text[end].isalpha() or text[end] == "_"):
            message = f"{piece}{text[end]} is neither a number nor a name"
            _find(
                tokens,
                "E104",
                message,
                at,
                len(piece) + 1,
                'a name that starts with a digit is written "2nd"',
            )
    elif kind == Kind.BLOB:
        digits = piece[2:-1]
        if len(digits) % 2 or not all(letter in "0123456789abcdefABCDEF" for letter in digits):
            _find(tokens, "E105", "a BLOB literal holds pairs of hexadecimal digits", at, len(piece))
    elif set(piece[2:-1]) - {"0", "1"}:
        _find(tokens, "E105", "a BIT literal holds only the digits 0 and 1", at, len(piece))


def _read_rest(tokens: Tokens, group: int, at: int) -> int:
    """Read a block comment, an open quote or a stray character; return the position after it."""
    if group == _BLOCK:
        return _read_block_comment(tokens, at)
    letter = tokens.source.text[at]
    if letter in "'\"":
        return _read_open_quote(tokens, at, letter)
    _append(tokens, Kind.BAD, letter, letter, at)
    _find(tokens, "E101", f"{letter!r} has no meaning in ESQL", at, 1, _LIKELY.get(letter, ""))
    return at + 1


def _read_block_comment(tokens: Tokens, at: int) -> int:
    text, depth, position = tokens.source.text, 0, at
    first_end = 0
    while mark := _BLOCK_MARK.search(text, position):
        position = mark.end()
        depth += 1 if mark[0] == "/*" else -1
        if mark[0] == "*/":
            first_end = first_end or position
            if not depth:
                tokens.comments.append(Comment(at, position, text[at:position]))
                return position
    likely = "comments nest: a /* inside a comment needs its own */" if first_end else ""
    _find(tokens, "E103", "this comment is not closed", at, 2, likely)
    end = first_end or len(text)
    tokens.comments.append(Comment(at, end, text[at:end]))
    return end


def _read_open_quote(tokens: Tokens, at: int, quote: str) -> int:
    match = _LINE_REST.match(tokens.source.text, at)
    piece = match[0] if match else quote
    kind, word = (Kind.STRING, WORD_STRING) if quote == "'" else (Kind.QUOTED, WORD_QUOTED)
    _append(tokens, kind, word, piece, at)
    what = "text" if quote == "'" else "name"
    likely = f"a {quote} inside a {what} is written {quote}{quote}"
    _find(tokens, "E102", f"the closing {quote} of this {what} is missing", at, len(piece), likely)
    return at + len(piece)


def _find(tokens: Tokens, code: str, message: str, at: int, length: int, likely: str = "") -> None:
    tokens.findings.append(finding(tokens.source, code, message, at, length, likely))

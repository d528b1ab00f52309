"""Requests that mean two things: a table of known ways to smuggle one request inside another.

Every attempt ends in `HIDDEN`, a request that a careless server answers. A row is a name, the bytes, and the
status of the only answer: the connection ends after it.
"""

from __future__ import annotations

from typing import NamedTuple

HIDDEN = b"GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n"
CHUNK = b"%x\r\n%s\r\n0\r\n\r\n" % (len(HIDDEN), HIDDEN)
LAST = b"0\r\n\r\n"
TE, CL = b"Transfer-Encoding: chunked\r\n", b"Content-Length: %d\r\n"


class Attempt(NamedTuple):
    """One request and the status that refuses it."""

    name: str
    data: bytes
    status: int = 400


def post(*headers: bytes, body: bytes = LAST + HIDDEN, version: bytes = b"HTTP/1.1") -> bytes:
    """Return a request with a Host and other headers, each with its line end."""
    return b"POST /first %s\r\nHost: a\r\n%s\r\n%s" % (version, b"".join(headers), body)


def coded(*values: bytes) -> bytes:
    """Return a request with these values of Transfer-Encoding."""
    return post(*(b"Transfer-Encoding:" + value + b"\r\n" for value in values))


def chunked(size_line: bytes, rest: bytes = b"abcde\r\n" + LAST + HIDDEN) -> bytes:
    """Return a chunked request whose first chunk begins with a line of our own."""
    return post(TE, body=size_line + rest)


def length(*values: bytes) -> bytes:
    """Return a request with these values of Content-Length and five bytes of body."""
    return post(*(b"Content-Length:" + value + b"\r\n" for value in values), body=b"abcde" + HIDDEN)


def line(start: bytes, headers: bytes = b"Host: a\r\n") -> bytes:
    """Return a request with this first line."""
    return start + b"\r\n" + headers + b"\r\n" + HIDDEN


TWO_LENGTHS = [
    Attempt("no length, an empty coding, then chunked", post(CL % 0, b"Transfer-Encoding:\r\n", TE)),
    Attempt("CL.TE", post(CL % 5, TE)),
    Attempt("TE.CL", post(TE, CL % 5, body=CHUNK)),
    Attempt("CL 0, then chunked", post(CL % 0, TE)),
    Attempt("CL and identity", post(CL % 5, b"Transfer-Encoding: identity\r\n")),
    Attempt("CL and an empty coding", post(CL % 5, b"Transfer-Encoding: \r\n")),
]
CODINGS = [
    Attempt(f"coding {' and '.join(repr(value) for value in values)}", coded(*values))
    for values in (
        (b"",),
        (b"", b" chunked"),
        (b" chunked", b""),
        (b" chunked", b" identity"),
        (b" identity", b" chunked"),
        (b" chunked", b" chunked"),
        (b" chunked, identity",),
        (b" identity, chunked",),
        (b" chunked, chunked",),
        (b" gzip, chunked",),
        (b" chunked,",),
        (b" ,chunked",),
        (b" xchunked",),
        (b" chunkedx",),
        (b" chunked;q=1",),
        (b' "chunked"',),
        (b" 'chunked'",),
        (b" \x0bchunked",),
        (b" chunked\x0b",),
        (b" \x0cchunked",),
        (b" chunked\x00",),
        (b" ch\x00unked",),
        (b" chunked\r",),
        (b" \x85chunked",),
        (b" \xa0chunked",),
        (b" \xe1chunked",),
        (b"\r\n chunked",),
        (b" \n chunked",),
        (b" identity",),
        (b" cow",),
    )
]
NAMES = [
    Attempt(f"header {name!r}", post(CL % 5, name + b" chunked\r\n", body=b"abcde" + HIDDEN))
    for name in (
        b"Transfer-Encoding :",
        b"Transfer-Encoding\t:",
        b" Transfer-Encoding:",
        b"\tTransfer-Encoding:",
        b"Transfer-Encoding\x00:",
        b"Transfer-Encoding\x0b:",
        b"\x00Transfer-Encoding:",
        b"Transfer\xadEncoding:",
        b"Transfer Encoding:",
        b"Transfer_Encoding:",
        b"Content_Length: 6\r\nX:",
        b"Transfer-Encoding",
        b"X: y\rTransfer-Encoding:",
        b"X: y\nTransfer-Encoding:",
        b"X: y\r\n\x0bTransfer-Encoding:",
        b":",
        b"X: y\r\n folded\r\nZ:",
        b"X: a\x00b\r\nZ:",
        b"X: a\x7fb\r\nZ:",
        b"X: a\x1bb\r\nZ:",
    )
]
LENGTHS = [
    Attempt(f"length {' and '.join(repr(value) for value in values)}", length(*values))
    for values in (
        (b" 5", b" 6"),
        (b" 5", b" 5"),
        (b" 0", b" 5"),
        (b" 5, 5",),
        (b" 5, 6",),
        (b" 5,",),
        (b"",),
        (b" ",),
        (b" +5",),
        (b" -5",),
        (b" -0",),
        (b" 5 5",),
        (b" 0x5",),
        (b" 5.0",),
        (b" 5e0",),
        (b" 5_0",),
        (b" 5;",),
        (b' "5"',),
        (b" \xb2",),
        (b" 5\x0b",),
        (b" 5\x00",),
        (b"\r\n 5",),
        (b" 18446744073709551621",),  # 2**64 + 5
        (b" " + b"0" * 40 + b"5",),
    )
]
CHUNKS = [
    *(
        Attempt(f"chunk size {size!r}", chunked(size + b"\r\n"))
        for size in (
            b"+5",
            b"-5",
            b" 5",
            b"5 ",
            b"\t5",
            b"5\t",
            b"0x5",
            b"5_0",
            b"5h",
            b"",
            b";a=b",
            b"five",
            b"\xb5",
            b"5\x00",
            b"5\x0b",
            b"5,5",
            b"5 5",
            b"100000005",  # 2**32 + 5
            b"10000000000000005",  # 2**64 + 5
            b"5;\x00",
            b"5;a=\x0b",
            b"5;a=b\rc",
            b"-",
        )
    ),
    Attempt("chunk size ends with LF", chunked(b"5\n")),
    Attempt("chunk extension with LF", chunked(b"5;a\nb\r\n")),
    Attempt("chunk size ends with CR", chunked(b"5\r", b"abcde\r\n" + LAST + HIDDEN)),
    Attempt("chunk data ends with LF", chunked(b"5\r\n", b"abcde\n" + LAST + HIDDEN)),
    Attempt("chunk data ends with CR", chunked(b"5\r\n", b"abcde\r" + LAST + HIDDEN)),
    Attempt("chunk longer than said", chunked(b"5\r\n", b"abcdefg\r\n" + LAST + HIDDEN)),
    Attempt("chunk shorter than said", chunked(b"5\r\n", b"abc\r\n" + LAST + HIDDEN)),
    Attempt("last chunk ends with LF", chunked(b"0\n", b"\n" + HIDDEN)),
    Attempt("trailers end with LF", chunked(b"0\r\n", b"X: y\r\n\n" + HIDDEN)),
    Attempt("trailer with a space", chunked(b"0\r\n", b"X : y\r\n\r\n" + HIDDEN)),
    Attempt("trailer folded", chunked(b"0\r\n", b"X: y\r\n z\r\n\r\n" + HIDDEN)),
    Attempt("trailer Content-Length", chunked(b"0\r\n", b"Content-Length: 35\r\n\r\n" + HIDDEN)),
    Attempt("trailer Transfer-Encoding", chunked(b"0\r\n", TE + b"\r\n" + HIDDEN)),
    Attempt("trailer Host", chunked(b"0\r\n", b"Host: b\r\n\r\n" + HIDDEN)),
    Attempt("request in the trailers", chunked(b"0\r\n", HIDDEN)),
    Attempt("too many trailers", chunked(b"0\r\n", b"X: y\r\n" * 200 + b"\r\n" + HIDDEN), 431),
    Attempt("long extension", chunked(b"5;" + b"a" * 9_000 + b"\r\n"), 431),
    Attempt("extensions of many chunks", chunked(b"", (b"1;" + b"a" * 250 + b"\r\nx\r\n") * 4_000), 431),
    Attempt("chunk too large", chunked(b"fffffff\r\n"), 413),
]
VERSIONS = [
    Attempt("chunked on HTTP/1.0", post(TE, body=CHUNK, version=b"HTTP/1.0")),
    Attempt("chunked and kept on HTTP/1.0", post(TE, b"Connection: keep-alive\r\n", version=b"HTTP/1.0")),
    *(
        Attempt(f"version {version!r}", line(b"GET /first " + version), status)
        for version, status in (
            (b"HTTP/0.9", 505),
            (b"HTTP/2.0", 505),
            (b"HTTP/1.2", 505),
            (b"HTTP/1.10", 400),
            (b"HTTP/11", 400),
            (b"http/1.1", 400),
            (b"HTTP/1.1x", 400),
            (b"HTTP/1,1", 400),
            (b"HTTP/ 1.1", 400),
            (b"HTTP/\xb9.1", 400),
            (b"HTTPS/1.1", 400),
            (b"", 400),
        )
    ),
]
START_LINES = [
    Attempt(f"request line {start!r}", line(start))
    for start in (
        b"GET /first",
        b"GET  /first HTTP/1.1",
        b"GET /first  HTTP/1.1",
        b"GET\t/first\tHTTP/1.1",
        b"GET\x0b/first HTTP/1.1",
        b" GET /first HTTP/1.1",
        b"GET /first HTTP/1.1 ",
        b"GET /first HTTP/1.1\t",
        b"GET /first HTTP/1.1 GET /hidden HTTP/1.1",
        b"get /first HTTP/1.1",
        b"G\x00T /first HTTP/1.1",
        b"GET: /first HTTP/1.1",
        b"GET /fi\x00rst HTTP/1.1",
        b"GET /fi\rrst HTTP/1.1",
        b"GET /fi\nrst HTTP/1.1",
        b"GET /fi\xe9rst HTTP/1.1",
        b"GET /first#part HTTP/1.1",
        b"GET first HTTP/1.1",
        b"GET * HTTP/1.1",
        b"CONNECT a:80 HTTP/1.1",
        b"GET http://b/first HTTP/1.1",
        b"GET http://a/first HTTP/1.1",
        b"GET /first HTTP/1.1\r",
        b"\r\n\r\nGET /first HTTP/1.1",
        b"\nGET /first HTTP/1.1",
        b"NONSENSE",
    )
]
HOSTS = [
    Attempt(f"hosts {headers!r}", line(b"GET /first HTTP/1.1", headers))
    for headers in (
        b"",
        b"Host: a\r\nHost: b\r\n",
        b"Host: a\r\nhost: a\r\n",
        b"Host: a, b\r\n",
        b"Host: a b\r\n",
        b"Host: a/b\r\n",
        b"Host: user@a\r\n",
        b"Host: a:80:90\r\n",
        b"Host: a:x\r\n",
        b"Host: a:99999999\r\n",
        b"Host: a:65536\r\n",
        b"Host: a:0\r\n",
        b"Host: a:-1\r\n",
        b"Host: a:+80\r\n",
        b"Host: a: 80\r\n",
        b"Host: a:\xb2\r\n",
        b"Host: :80\r\n",
        b"Host: ::1\r\n",
        b"Host: [::1\r\n",
        b"Host: ::1]\r\n",
        b"Host: []\r\n",
        b"Host: [1:2]\r\n",
        b"Host: [::1]x\r\n",
        b"Host: [::1]80\r\n",
        b"Host: [::1]:65536\r\n",
        b"Host: [::1%25eth0]\r\n",
        b"Host: [127.0.0.1]\r\n",
        b"Host : a\r\n",
        b" Host: a\r\n",
        b"Host: a\r\n\tb\r\n",
        b"Host: a\nX: y\r\n",
    )
] + [Attempt("two hosts on HTTP/1.0", line(b"GET /first HTTP/1.0", b"Host: a\r\nHost: b\r\n"))]
LINE_ENDS = [
    Attempt("LF only", b"GET /first HTTP/1.1\nHost: a\n\n" + HIDDEN),
    Attempt("LF after a header", b"GET /first HTTP/1.1\r\nHost: a\n\r\n" + HIDDEN),
    Attempt("LF after the headers", b"GET /first HTTP/1.1\r\nHost: a\r\n\n" + HIDDEN),
    Attempt("CR only", b"GET /first HTTP/1.1\rHost: a\r\r" + HIDDEN),
    Attempt("CR CR LF", b"GET /first HTTP/1.1\r\nHost: a\r\r\n\r\n" + HIDDEN),
    Attempt("LF CR", b"GET /first HTTP/1.1\n\rHost: a\n\r\n\r" + HIDDEN),
]
SIZES = [
    Attempt("many headers", line(b"GET /first HTTP/1.1", b"Host: a\r\n" + b"A: b\r\n" * 200), 431),
    Attempt("a long header", line(b"GET /first HTTP/1.1", b"A: " + b"b" * 70_000 + b"\r\n"), 431),
    Attempt("long headers", line(b"GET /first HTTP/1.1", (b"A: " + b"b" * 7_000 + b"\r\n") * 12), 431),
    Attempt("a long target", line(b"GET /" + b"a" * 9_000 + b" HTTP/1.1"), 414),
    Attempt("an endless target", line(b"GET /" + b"a" * 100_000 + b" HTTP/1.1"), 414),
    Attempt("a long method", line(b"G" * 20 + b" /first HTTP/1.1")),
    Attempt("a length beyond the limit", post(CL % 99_999_999_999), 413),
    Attempt("an expectation unknown", post(b"Expect: 200-ok\r\n", CL % 5, body=b"abcde" + HIDDEN), 417),
    Attempt(
        "two expectations",
        post(b"Expect: 100-continue\r\nExpect: x\r\n", CL % 5, body=b"abcde" + HIDDEN),
        417,
    ),
]
ATTEMPTS = [
    *TWO_LENGTHS,
    *CODINGS,
    *NAMES,
    *LENGTHS,
    *CHUNKS,
    *VERSIONS,
    *START_LINES,
    *HOSTS,
    *LINE_ENDS,
    *SIZES,
]
# Unusual, but of one meaning: the first request has its body, and what follows is a request of its own.
PLAIN = [
    ("Content-Length", length(b" 5"), b"abcde"),
    ("no space before the length", length(b"5"), b"abcde"),
    ("spaces around the length", length(b" \t 5 \t"), b"abcde"),
    ("leading zeros", length(b" 0005"), b"abcde"),
    ("chunked", chunked(b"5\r\n"), b"abcde"),
    ("coding in capitals", coded(b" CHUNKED"), b""),
    ("spaces around the coding", coded(b" \t chunked \t"), b""),
    ("chunk size in capitals", chunked(b"A\r\n", b"0123456789\r\n" + LAST + HIDDEN), b"0123456789"),
    ("chunk size with zeros", chunked(b"0005\r\n"), b"abcde"),
    ("an extension", chunked(b'5;a=b;c="d e"\r\n'), b"abcde"),
    ("space before an extension", chunked(b"5 ; a=b\r\n"), b"abcde"),
    ("a trailer", chunked(b"5\r\n", b"abcde\r\n0\r\nX-Sum: 1\r\n\r\n" + HIDDEN), b"abcde"),
    ("HTTP/1.0 without a Host", line(b"GET /first HTTP/1.0", b"Connection: keep-alive\r\n"), b""),
    ("an empty line before", b"\r\n" + length(b" 5"), b"abcde"),
    ("an IPv6 host", line(b"GET /first HTTP/1.1", b"Host: [::1]:7800\r\n"), b""),
    ("an IPv6 host without a port", line(b"GET /first HTTP/1.1", b"Host: [::ffff:127.0.0.1]\r\n"), b""),
    ("the highest port", line(b"GET /first HTTP/1.1", b"Host: a:65535\r\n"), b""),
    ("a port with zeros", line(b"GET /first HTTP/1.1", b"Host: a:0080\r\n"), b""),
    ("an empty port", line(b"GET /first HTTP/1.1", b"Host: a:\r\n"), b""),
    ("an empty host", line(b"GET /first HTTP/1.1", b"Host:\r\n"), b""),
    ("a tab in a value", line(b"GET /first HTTP/1.1", b"Host: a\r\nX: a\tb\r\n"), b""),
    ("bytes above ASCII in a value", line(b"GET /first HTTP/1.1", b"Host: a\r\nX: \xe9\r\n"), b""),
]

"""Exceptions of Java as Python exceptions, in the same hierarchy, and what becomes of others."""

from __future__ import annotations

import logging
from typing import Any

from penstock.flow.failing import CANNOT_BE_HANDLED
from penstock.flow.java.values import text
from penstock.model.errors import MQError

logger = logging.getLogger("penstock.flow.java")

_BELOW = {
    "java.lang": {
        "Throwable": "Exception Error",
        "Error": "AssertionError AbstractMethodError",
        "Exception": "RuntimeException InterruptedException CloneNotSupportedException "
        "ClassNotFoundException",
        "RuntimeException": "IllegalArgumentException IllegalStateException NullPointerException "
        "ClassCastException ArithmeticException IndexOutOfBoundsException UnsupportedOperationException "
        "NegativeArraySizeException SecurityException",
        "IllegalArgumentException": "NumberFormatException",
        "IndexOutOfBoundsException": "ArrayIndexOutOfBoundsException StringIndexOutOfBoundsException",
    },
    "com.ibm.integration.test.v1.exception": {"Exception": "TestException"},
    "java.io": {
        "Exception": "IOException",
        "IOException": "FileNotFoundException UnsupportedEncodingException",
    },
    "java.security": {
        "Exception": "GeneralSecurityException",
        "GeneralSecurityException": "NoSuchAlgorithmException KeyStoreException KeyException "
        "SignatureException InvalidAlgorithmParameterException UnrecoverableKeyException "
        "NoSuchProviderException",
        "KeyException": "InvalidKeyException",
    },
    "java.security.spec": {"GeneralSecurityException": "InvalidKeySpecException"},
    "java.security.cert": {"GeneralSecurityException": "CertificateException"},
    "javax.crypto": {
        "GeneralSecurityException": "NoSuchPaddingException BadPaddingException IllegalBlockSizeException"
    },
    "java.util": {"RuntimeException": "NoSuchElementException"},
    "java.sql": {"Exception": "SQLException"},
    "javax.xml.bind": {
        "Exception": "JAXBException",
        "JAXBException": "UnmarshalException MarshalException PropertyException",
    },
    "javax.xml.transform": {
        "Exception": "TransformerException",
        "Error": "TransformerFactoryConfigurationError",
    },
    "javax.xml.parsers": {"Exception": "ParserConfigurationException"},
    "javax.xml.xpath": {"Exception": "XPathExpressionException"},
    "org.xml.sax": {"Exception": "SAXException"},
    "java.util.regex": {"IllegalArgumentException": "PatternSyntaxException"},
    "java.text": {"Exception": "ParseException"},
    "java.util.concurrent": {"Exception": "TimeoutException"},
    "com.ibm.broker.plugin": {
        "Exception": "MbException",
        "MbException": "MbUserException MbRecoverableException MbConfigurationException "
        "MbConversionException MbDatabaseException MbParserException MbSecurityException MbReadOnlyException",
    },
}


class Throwable(Exception):
    """What Java throws; `line` and `file` are where it came from, `problem` is an error of ours in it."""

    java_name = "java.lang.Throwable"
    problem: MQError | None = None

    def __init__(self, *given: Any) -> None:
        self.cause: BaseException | None = None
        self.message: str | None = None
        self.line = 0
        self.file = ""
        self.set_up(*given)
        super().__init__(self.message)

    def set_up(self, *given: Any) -> None:
        """Take the arguments of a constructor: a text, a cause, or both."""
        causes = [each for each in given if isinstance(each, Throwable)]
        texts = [each for each in given if isinstance(each, str)]
        self.cause = causes[0] if causes else None
        self.message = texts[0] if texts else text(self.cause) if self.cause is not None else None

    def getMessage(self) -> str | None:
        return self.message

    def getLocalizedMessage(self) -> str | None:
        return self.message

    def getCause(self) -> Throwable | None:
        return self.cause if isinstance(self.cause, Throwable) else None

    def initCause(self, cause: Throwable) -> Throwable:
        self.cause = cause
        return self

    def getClass(self) -> Any:
        from penstock.flow.java.library.utilities import Class

        return Class(self.java_name)

    def fillInStackTrace(self) -> Throwable:
        return self

    def printStackTrace(self, below: Any = None) -> None:
        """Write the exception and where it was thrown to the log, or to a writer."""
        if below is not None:
            below.println(f"{self.toString()}\n\tat {self.file}:{self.line}")
            return
        logger.warning("%s (%s, line %s)", self.toString(), self.file, self.line)

    def toString(self) -> str:
        message = self.getLocalizedMessage()
        return self.java_name if message is None else f"{self.java_name}: {message}"


def _made() -> dict[str, type[Throwable]]:
    found: dict[str, type[Throwable]] = {"Throwable": Throwable}
    for package, below in _BELOW.items():
        for base, names in below.items():
            for name in names.split():
                made = type(name, (found[base],), {"java_name": f"{package}.{name}"})
                found[name] = made
    return found


THROWABLES = _made()


def thrown(name: str, *given: Any) -> Throwable:
    """Return a new exception of a name."""
    return THROWABLES[name](*given)


def as_thrown(raised: Exception) -> Throwable | None:
    """Return an error that Python raised as what Java would have thrown; None if Java may not catch it."""
    if isinstance(raised, Throwable):
        return raised
    if isinstance(raised, MQError):
        if raised.reason in CANNOT_BE_HANDLED:
            return None
        made = thrown("MbException", raised.detail)
        made.problem = raised
        return made
    if isinstance(raised, ZeroDivisionError):
        return thrown("ArithmeticException", "/ by zero")
    if isinstance(raised, IndexError):
        return thrown("ArrayIndexOutOfBoundsException", str(raised))
    if isinstance(raised, RecursionError):
        return thrown("Error", "StackOverflowError")
    return None

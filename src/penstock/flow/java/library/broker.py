"""The message tree and the node as Java sees them: MbMessage, MbElement, MbOutputTerminal ..."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from penstock.flow.java.library.elements import MbElement, evaluated
from penstock.flow.java.library.site import here, running
from penstock.flow.java.library.sql import Connection, source_named
from penstock.flow.java.library.thing import ByteArray, Thing
from penstock.flow.java.throwables import THROWABLES, Throwable, thrown
from penstock.flow.java.values import Array, bytes_array, text
from penstock.tree import Message
from penstock.tree.core._types import JSON_TYPES, XML_TYPES, XMLNSC_TYPES

if TYPE_CHECKING:
    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.java.library.dom import Document

logger = logging.getLogger("penstock.flow.java")
PLUGIN = ("com.ibm.broker.plugin", "com.ibm.broker.javacompute")
MbException = THROWABLES["MbException"]


class MbMessage(Thing):
    """A tree: a message, LocalEnvironment, Environment or ExceptionList."""

    packages = PLUGIN
    tree: Message
    is_read_only: bool

    def __init__(self, other: MbMessage | None = None) -> None:
        self.tree = Message() if other is None else other.tree.copy()
        self.is_read_only = False

    @staticmethod
    def _of(tree: Message, *, is_read_only: bool) -> MbMessage:
        made = MbMessage.__new__(MbMessage)
        made.tree, made.is_read_only = tree, is_read_only
        return made

    def getRootElement(self) -> MbElement:
        return MbElement(self.tree.reference(), self)

    def evaluateXPath(self, path: Any, variables: Any = None) -> Any:
        body = self.tree.body
        if body is None:
            body = self.tree.reference()
        return evaluated(MbElement(body, self), path, variables, is_message=True)

    def getBuffer(self) -> ByteArray:
        return bytes_array(self.tree.serialise())

    def getDOMDocument(self) -> Document:
        from penstock.flow.java.library.dom import Document

        return Document._of(self.tree)

    def createDOMDocument(self, parser: str) -> Document:
        """Return a document that is the body of this message."""
        from penstock.flow.java.library.dom import Document

        return Document(self.tree, self.getRootElement().createElementAsLastChild(parser).at)

    def isReadOnly(self) -> bool:
        return self.is_read_only

    def clearMessage(self) -> None:
        pass

    def finalizeMessage(self, *_: Any) -> None:
        pass


class MbMessageAssembly(Thing):
    """The trees that travel together."""

    packages = PLUGIN
    _assembly: Assembly
    _message: MbMessage
    _local_environment: MbMessage | None
    _exception_list: MbMessage | None
    _origin: MbMessageAssembly

    def __init__(self, other: MbMessageAssembly, *trees: MbMessage) -> None:
        if len(trees) not in (1, 3):
            raise thrown("IllegalArgumentException", "an assembly is made of one tree or three")
        self._assembly = other._assembly
        self._message = trees[-1]
        self._local_environment = trees[0] if len(trees) > 1 else other._local_environment
        self._exception_list = trees[1] if len(trees) > 1 else other._exception_list
        self._origin = other

    @staticmethod
    def _of(assembly: Assembly) -> MbMessageAssembly:
        made = MbMessageAssembly.__new__(MbMessageAssembly)
        made._assembly = assembly
        made._message = MbMessage._of(assembly.message, is_read_only=True)
        made._local_environment = made._exception_list = None
        made._origin = made
        return made

    def getMessage(self) -> MbMessage:
        return self._message

    def getLocalEnvironment(self) -> MbMessage:
        if self._local_environment is None:
            if self._origin is not self:
                self._local_environment = self._origin.getLocalEnvironment()
            else:  # Java may change that of the input; here it is a copy that goes on with every message
                copied = self._assembly.copied_local_environment()
                self._local_environment = MbMessage._of(copied, is_read_only=False)
        return self._local_environment

    def getGlobalEnvironment(self) -> MbMessage:
        return MbMessage._of(self._assembly.environment, is_read_only=False)

    def getExceptionList(self) -> MbMessage:
        if self._exception_list is None:
            self._exception_list = MbMessage._of(self._assembly.exception_list, is_read_only=True)
        return self._exception_list

    def _trees(self) -> Assembly:
        """Return what is sent on."""
        changed = self._local_environment or self._origin._local_environment
        return self._assembly.sending(
            self._message.tree,
            None if changed is None else changed.tree,
            None if self._exception_list is None else self._exception_list.tree,
        )


class MbOutputTerminal(Thing):
    """Where a node sends messages."""

    packages = PLUGIN
    abstract = True

    def __init__(self, name: str, at: NodeContext) -> None:
        self._name = name
        self._at = at

    def propagate(self, assembly: MbMessageAssembly, *_: Any) -> None:
        self._at.send(self._name, assembly._trees())

    def isAttached(self) -> bool:
        return self._at.wire(self._name) is not None

    def getName(self) -> str:
        return self._name


class MbJavaComputeNode(Thing):
    """The base of JavaCompute classes; the node that runs it sets `_at`."""

    packages = PLUGIN
    _at: NodeContext

    def __init__(self) -> None:
        pass

    def getOutputTerminal(self, name: str) -> MbOutputTerminal | None:
        short = {"alt": "alternate"}.get(name, name)
        return MbOutputTerminal(short, self._at) if short in self._at.node.outputs else None

    def getUserDefinedAttribute(self, name: str) -> Any:
        return self._at.instance.flow.flow.properties.get(name)

    def getName(self) -> str:
        return self._at.label

    def getPolicy(self, kind: str, name: str) -> MbPolicy | None:
        return MbPolicy.getPolicy(kind, name)

    def getJDBCType4Connection(self, name: str, _type: Any = None) -> Connection:
        return Connection(running().databases(), source_named(name), commits=False)

    def getMessageFlow(self) -> MbMessageFlow:
        return MbMessageFlow(self._at.instance.flow.name)

    def onInitialize(self) -> None:
        pass

    def onPreSetupValidation(self) -> None:
        pass

    def onSetup(self) -> None:
        pass

    def onStart(self) -> None:
        pass


class MbMessageFlow(Thing):
    """The flow around a node."""

    packages = PLUGIN
    abstract = True

    def __init__(self, name: str) -> None:
        self._name = name

    def getName(self) -> str:
        return self._name


class MbXPath(Thing):
    """An XPath expression."""

    packages = PLUGIN

    def __init__(self, path: str, context: Any = None) -> None:
        self.path = path


class MbXPathVariables(Thing):
    """Values for the variables of an expression."""

    packages = PLUGIN

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}

    def assign(self, name: str, value: Any) -> None:
        self.values[name] = value


class MbPolicy(Thing):
    """A policy of the workspace: `{Project}:Name` or a name."""

    packages = PLUGIN
    abstract = True

    def __init__(self, values: dict[str, str]) -> None:
        self._values = values

    @staticmethod
    def getPolicy(kind: str, name: str) -> MbPolicy | None:
        from penstock.flow.importer.policies import policy_fields

        project = here.get()
        found = None if project is None else policy_fields(project.workspace, kind, name)
        return None if found is None else MbPolicy(found)

    def getPropertyValueAsString(self, name: str) -> str | None:
        return self._values.get(name)

    def getPropertyValue(self, name: str) -> str | None:
        return self._values.get(name)


class MbService(Thing):
    """Lines of the log."""

    packages = PLUGIN
    abstract = True

    @staticmethod
    def logInformation(*given: Any) -> None:
        logger.info("%s", _line(given))

    @staticmethod
    def logWarning(*given: Any) -> None:
        logger.warning("%s", _line(given))

    @staticmethod
    def logError(*given: Any) -> None:
        logger.error("%s", _line(given))


def _line(given: tuple[Any, ...]) -> str:
    words = [each for item in given for each in (item if isinstance(item, Array) else (item,))]
    return " ".join(text(each) for each in words if each not in (None, ""))


def _set_up_user_exception(self: Throwable, *given: Any) -> None:
    """Take source, method, catalogue, key, text and inserts."""
    words = [each for each in given if isinstance(each, str)]
    inserts = next((each for each in given if isinstance(each, Array)), Array("Object"))
    self.message = words[-1] if words else None
    self.inserts = tuple(text(each) for each in inserts)  # type: ignore[attr-defined]


def _trace_text(self: Throwable) -> str | None:
    return self.message


for _made in THROWABLES.values():
    if issubclass(_made, MbException) and _made is not MbException:
        _made.set_up = _set_up_user_exception  # type: ignore[method-assign]
MbException.getTraceText = _trace_text  # type: ignore[attr-defined]


def _constants(types: dict[str, int], **more: Any) -> dict[str, Any]:
    found: dict[str, Any] = dict(more)
    for name, value in types.items():
        spaced = "".join(f"_{each}" if each.isupper() else each for each in name).strip("_")
        found[spaced.upper()] = value
    return found


class MbXMLNSC(MbElement):
    """Names and types of the XMLNSC domain."""

    constants = _constants(
        XMLNSC_TYPES,
        PARSER_NAME="XMLNSC",
        ROOT_ELEMENT_NAME="XMLNSC",
        CDATA_FIELD=XMLNSC_TYPES["CDataField"],
        XML_DECLARATION=XMLNSC_TYPES["XmlDeclaration"],
        NAMESPACE_DECLARATION=XMLNSC_TYPES["NamespaceDecl"],
    )
    abstract = True


class MbXMLNS(MbElement):
    """Names and types of the XMLNS domain."""

    names = ("MbXMLNS", "MbXML")
    constants = _constants(XML_TYPES, PARSER_NAME="XMLNS", ROOT_ELEMENT_NAME="XMLNS")
    abstract = True


class MbJSON(MbElement):
    """Names and types of the JSON domain."""

    constants = {
        "PARSER_NAME": "JSON",
        "ROOT_ELEMENT_NAME": "JSON",
        "DATA_ELEMENT_NAME": "Data",
        "ARRAY_ITEM_NAME": "Item",
        "OBJECT": JSON_TYPES["Object"],
        "ARRAY": JSON_TYPES["Array"],
        "NAME_VALUE": JSON_TYPES["NameValue"],
    }
    abstract = True


class MbBLOB(MbElement):
    """Names of the BLOB domain."""

    constants = {"PARSER_NAME": "BLOB", "ROOT_ELEMENT_NAME": "BLOB", "BLOB_ELEMENT_NAME": "BLOB"}
    abstract = True


class MbMQMD(MbElement):
    """The name of the MQMD domain."""

    constants = {"PARSER_NAME": "MQMD", "ROOT_ELEMENT_NAME": "MQMD"}
    abstract = True


class MbDFDL(MbElement):
    """The name of the DFDL domain."""

    constants = {"PARSER_NAME": "DFDL", "ROOT_ELEMENT_NAME": "DFDL"}
    abstract = True

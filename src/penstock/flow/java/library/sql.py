"""java.sql over the data sources of a flow.

A connection of getJDBCType4Connection belongs to the flow's unit of work, one of DriverManager commits each
statement itself, until setAutoCommit(false); all of a thread and a flow share one. The name of a data source
is the name that the broker was asked for, or the database in a JDBC URL; `penstock dsn` binds it.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from penstock.esql.database.parameter_markers import with_markers
from penstock.esql.database.row_trees import fetched
from penstock.esql.database.stored_procedures import call_procedure
from penstock.flow.java.library.elements import as_field, as_java
from penstock.flow.java.library.site import running
from penstock.flow.java.library.thing import Long, Thing
from penstock.flow.java.throwables import thrown
from penstock.flow.java.values import text
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from collections.abc import Iterator

SQL = ("java.sql",)
_CALL = re.compile(
    r"\s*\{?\s*call\s+(?:(?P<schema>\w+)\.)?(?P<name>\w+)\s*(?:\([?,\s]*\))?\s*\}?\s*", re.IGNORECASE
)
_DATABASE = re.compile(r"[:/;=]([\w.-]+)(?:[?;].*)?$")


def database_in(url: str) -> str:
    """Return the database in a JDBC URL, empty if there is none."""
    found = _DATABASE.search(url)
    return found[1] if found else ""


def source_named(name: str) -> str:
    """Return the data source that a broker's name of a connection means: `{Policies}:Name` or `Name`."""
    return name.rpartition(":")[2]


class DriverManager(Thing):
    """Makes connections."""

    packages = SQL
    abstract = True

    @staticmethod
    def getConnection(url: str, *_: Any) -> Connection:
        found = database_in(url)
        if not found:
            raise thrown("SQLException", f"no database is named in {url}")
        return Connection(running().databases_apart(), found, commits=True)


class JDBC_TransactionType(Thing):  # noqa: N801 - a name of the broker's
    """How a connection takes part in the flow's unit of work: always."""

    packages = ("com.ibm.broker.plugin", "com.ibm.broker.javacompute")
    constants = {"MB_TRANSACTION_AUTO": 0}
    abstract = True


class Connection(Thing):
    """A connection to a data source."""

    packages = SQL
    abstract = True

    def __init__(self, databases: Any, source: str, *, commits: bool) -> None:
        self._databases, self._source, self._commits = databases, source, commits
        self._owns = commits
        if databases is None:
            raise thrown("SQLException", "this flow has no data sources")

    def _run(self, sql: str, values: list[Any]) -> tuple[list[str], list[Any], int]:
        """Run a statement; return names and rows, and how many rows it changed."""
        with self._failing():
            connection = self._databases.connection(self._source)
            marked, count = with_markers(sql, "qmark" if connection.dialect == "sqlite" else "format")
            if count != len(values):
                raise thrown("SQLException", f"{count} parameter markers and {len(values)} values")
            with connection.executed(marked, tuple(as_field(each) for each in values)) as result:
                rows = fetched(result) if result.returns_rows else []
                found = (list(result.keys()) if result.returns_rows else [], list(rows), result.rowcount)
            if self._commits:
                self._databases.commit_all()
        return found

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """Throw a SQLException for an error of the database; a connection of its own keeps no failed unit."""
        try:
            yield
        except MQError as raised:
            if self._commits:
                self._databases.rollback_all()
            made = thrown("SQLException", raised.detail)
            made.problem = raised
            raise made from raised

    def createStatement(self, *_: Any) -> Statement:
        return Statement(self)

    def prepareStatement(self, sql: str, *_: Any) -> PreparedStatement:
        return PreparedStatement(self, sql)

    def prepareCall(self, sql: str, *_: Any) -> CallableStatement:
        return CallableStatement(self, sql)

    def _call(self, schema: str | None, name: str, values: list[Any], directions: list[str]) -> list[Any]:
        with self._failing():
            found = call_procedure(self._databases.connection(self._source), schema, name, values, directions)
            if self._commits:
                self._databases.commit_all()
        return list(found.outs)

    def setAutoCommit(self, commits: bool) -> None:
        self._commits = commits and self._owns

    def getAutoCommit(self) -> bool:
        return self._commits

    def commit(self) -> None:
        if self._owns:
            self._databases.commit_all()

    def rollback(self) -> None:
        if self._owns:
            self._databases.rollback_all()

    def isClosed(self) -> bool:
        return False

    def close(self) -> None:
        """End its unit; the connection stays for the next message, as programs often do not close theirs."""
        self.rollback()


class Statement(Thing):
    """Runs SQL."""

    packages = SQL
    abstract = True

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._result: ResultSet | None = None
        self._count = -1

    def _ran(self, sql: str, values: list[Any]) -> bool:
        names, rows, count = self._connection._run(sql, values)
        self._result = ResultSet(names, rows) if names else None
        self._count = -1 if names else count
        return bool(names)

    def execute(self, sql: str) -> bool:
        return self._ran(sql, [])

    def executeQuery(self, sql: str) -> ResultSet:
        return _rows(self._ran(sql, []), self)

    def executeUpdate(self, sql: str) -> int:
        self._ran(sql, [])
        return self._count

    def getResultSet(self) -> ResultSet | None:
        return self._result

    def getUpdateCount(self) -> int:
        return self._count

    def close(self) -> None:
        pass


def _rows(has_rows: bool, statement: Statement) -> ResultSet:
    found = statement._result
    if not has_rows or found is None:
        raise thrown("SQLException", "the statement returned no rows")
    return found


class PreparedStatement(Statement):
    """Runs SQL with values for its question marks, which count from 1."""

    bases = ("Statement",)

    def __init__(self, connection: Connection, sql: str) -> None:
        super().__init__(connection)
        self._sql = sql
        self._values: dict[int, Any] = {}

    def _given(self) -> list[Any]:
        return [self._values[each] for each in sorted(self._values)]

    def setObject(self, place: int, value: Any, *_: Any) -> None:
        self._values[place] = value

    def setString(self, place: int, value: str | None) -> None:
        self._values[place] = value

    def setInt(self, place: int, value: int) -> None:
        self._values[place] = value

    def setLong(self, place: int, value: int) -> None:
        self._values[place] = value

    def setDouble(self, place: int, value: float) -> None:
        self._values[place] = value

    def setBoolean(self, place: int, value: bool) -> None:
        self._values[place] = value

    def setBigDecimal(self, place: int, value: Any) -> None:
        self._values[place] = value

    def setBytes(self, place: int, value: Any) -> None:
        self._values[place] = value

    def setNull(self, place: int, _type: int) -> None:
        self._values[place] = None

    def execute(self, sql: str = "") -> bool:
        return self._ran(sql or self._sql, self._given())

    def executeQuery(self, sql: str = "") -> ResultSet:
        return _rows(self._ran(sql or self._sql, self._given()), self)

    def executeUpdate(self, sql: str = "") -> int:
        self._ran(sql or self._sql, self._given())
        return self._count

    def clearParameters(self) -> None:
        self._values.clear()


class CallableStatement(PreparedStatement):
    """Calls a stored procedure: `{call name(?, ?)}`; parameters of results are registered first."""

    bases = ("Statement",)

    def __init__(self, connection: Connection, sql: str) -> None:
        super().__init__(connection, sql)
        found = _CALL.fullmatch(sql)
        if found is None:
            raise thrown("SQLException", f"this is no call of a procedure: {sql}")
        self._schema, self._name = found["schema"], found["name"]
        self._outs: dict[int, Any] = {}

    def registerOutParameter(self, place: int, _type: int) -> None:
        self._outs[place] = None

    def execute(self, sql: str = "") -> bool:
        places = sorted({*self._values, *self._outs})
        directions = [
            "IN" if each not in self._outs else "INOUT" if each in self._values else "OUT" for each in places
        ]
        given = [as_field(self._values.get(each)) for each in places]
        results = self._connection._call(self._schema, self._name, given, directions)
        self._outs = dict(zip(sorted(self._outs), results, strict=True))
        return False

    def executeUpdate(self, sql: str = "") -> int:
        self.execute()
        return 0

    def _out(self, place: int) -> Any:
        if place not in self._outs:
            raise thrown("SQLException", f"parameter {place} is not registered as a result")
        return self._outs[place]

    def getString(self, place: int) -> str | None:
        found = self._out(place)
        return None if found is None else text(as_java(found))

    def getInt(self, place: int) -> int:
        return int(self._out(place) or 0)

    def getObject(self, place: int) -> Any:
        return as_java(self._out(place))


class Types(Thing):
    """Types of columns."""

    packages = SQL
    abstract = True
    constants = {
        "BIT": -7,
        "BIGINT": -5,
        "CHAR": 1,
        "NUMERIC": 2,
        "DECIMAL": 3,
        "INTEGER": 4,
        "FLOAT": 6,
        "DOUBLE": 8,
        "VARCHAR": 12,
        "DATE": 91,
        "TIMESTAMP": 93,
    }


class ResultSet(Thing):
    """Rows, one after the other; columns by name or by number from 1."""

    packages = SQL
    abstract = True
    constants = {
        "TYPE_FORWARD_ONLY": 1003,
        "TYPE_SCROLL_INSENSITIVE": 1004,
        "TYPE_SCROLL_SENSITIVE": 1005,
        "CONCUR_READ_ONLY": 1007,
        "CONCUR_UPDATABLE": 1008,
    }

    def __init__(self, names: list[str], rows: list[Any]) -> None:
        self._names = names
        self._places = {name.upper(): place for place, name in enumerate(names)}
        self._rows = rows
        self._at = -1
        self._was_null = False

    def next(self) -> bool:
        self._at += 1
        return self._at < len(self._rows)

    def _value(self, column: Any) -> Any:
        place = column - 1 if isinstance(column, int) else self._places.get(text(column).upper(), -1)
        if not 0 <= place < len(self._names):
            raise thrown("SQLException", f"there is no column {text(column)}")
        if not 0 <= self._at < len(self._rows):
            raise thrown("SQLException", "the result is not at a row")
        found = self._rows[self._at][place]
        self._was_null = found is None
        return found

    def _number(self, column: Any) -> Decimal:
        found = self._value(column)
        return Decimal(0) if found is None else Decimal(str(found))

    def getString(self, column: Any) -> str | None:
        found = self._value(column)
        return None if found is None else text(as_java(found))

    def getInt(self, column: Any) -> int:
        return int(self._number(column))

    def getLong(self, column: Any) -> Long:
        return int(self._number(column))

    def getDouble(self, column: Any) -> float:
        return float(self._number(column))

    def getBoolean(self, column: Any) -> bool:
        return bool(self._value(column))

    def getObject(self, column: Any) -> Any:
        return as_java(self._value(column))

    def wasNull(self) -> bool:
        return self._was_null

    def getMetaData(self) -> ResultSetMetaData:
        return ResultSetMetaData(self._names)

    def close(self) -> None:
        pass


class ResultSetMetaData(Thing):
    """The columns of a result."""

    packages = SQL
    abstract = True

    def __init__(self, names: list[str]) -> None:
        self._names = names

    def getColumnCount(self) -> int:
        return len(self._names)

    def getColumnName(self, column: int) -> str:
        return self._names[column - 1]

    def getColumnLabel(self, column: int) -> str:
        return self._names[column - 1]

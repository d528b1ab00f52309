"""One connection to a data source, with its unit of work.

A unit begins with the first statement and ends with commit or rollback. With two phases (PostgreSQL) it can
be prepared first, so that a coordinator may decide later, even after a crash. A failed statement leaves the
rest of the unit unchanged: on databases where an error would end the whole unit, each statement has its own
savepoint.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from penstock.esql.database.database_errors import BAD_VALUE, driver_error, translated
from penstock.esql.database.prepared import STATEMENTS_MAX, Prepared
from penstock.esql.database.row_trees import ROWS_MAX
from penstock.esql.database.tables import TableView, look_up
from penstock.esql.runtime.errors import database_error
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

    from sqlalchemy import Connection, CursorResult, Dialect, Engine
    from sqlalchemy.engine import RootTransaction, TwoPhaseTransaction

NEEDS_SAVEPOINTS = frozenset(("postgresql",))
HAS_TWO_PHASES = frozenset(("postgresql",))
SAVEPOINT = "SAVEPOINT penstock_statement"
SAVE, SAVE_AGAIN = SAVEPOINT, f"RELEASE {SAVEPOINT}; {SAVEPOINT}"  # one round trip
_STATEMENTS = "statements"  # where prepared statements are, beside the tables that they belong to


class DataSourceConnection:
    """A connection that belongs to one caller, and to one thread at a time."""

    def __init__(
        self,
        engine: Engine,
        tables: dict[Any, Any],
        two_phases: bool = False,
        name_unit: Callable[[], str] | None = None,
    ) -> None:
        """`name_unit` names units that a coordinator ends: in two phases where the database supports it."""
        self._engine = engine
        self._tables = tables
        self._two_phases = two_phases
        self._name_unit = name_unit
        self._connection: Connection | None = None
        self._driver: Any = None  # the connection of the driver, in a unit of work
        self._transaction: RootTransaction | TwoPhaseTransaction | None = None
        self._needs_savepoint = self._has_savepoint = False

    @property
    def dialect(self) -> str:
        """The kind of database: sqlite, postgresql ..."""
        return self._engine.dialect.name

    @property
    def in_unit(self) -> bool:
        """Whether a unit of work is open."""
        return self._transaction is not None

    def begin(self, xid: str | None = None) -> Connection:
        """Return the connection in a unit of work, which is begun if necessary.

        `xid` names a two-phase unit.
        """
        if self._connection is None:
            with translated(is_connecting=True):
                self._connection = self._engine.connect()
        with translated():
            if self._transaction is None:
                self._transaction = self._begun(self._connection, xid)
                self._driver = self._connection.connection.dbapi_connection
                self._needs_savepoint = self.in_two_phases  # else nothing is lost if the first one fails
                self._has_savepoint = False
        return self._connection

    def _begun(self, connection: Connection, xid: str | None) -> RootTransaction | TwoPhaseTransaction:
        possible = self.dialect in HAS_TWO_PHASES
        if self._two_phases and not possible:
            raise database_error("0A000", 0, f"{self.dialect} has no commit in two phases")
        if self._name_unit is not None and possible:
            return connection.begin_twophase(xid or self._name_unit())
        return connection.begin_twophase(xid) if self._two_phases else connection.begin()

    @property
    def in_two_phases(self) -> bool:
        """Whether the open unit can be prepared."""
        from sqlalchemy.engine import TwoPhaseTransaction

        return isinstance(self._transaction, TwoPhaseTransaction)

    def server_version(self) -> str:
        """Return the database's version."""
        sql = "select sqlite_version()" if self.dialect == "sqlite" else "select version()"
        with self.executed(sql) as result:
            return str(result.scalar())

    def prepare(self) -> None:
        """Prepare the unit, so that commit can no longer fail because of it."""
        from sqlalchemy.engine import TwoPhaseTransaction

        if not isinstance(self._transaction, TwoPhaseTransaction):
            raise database_error("25000", 0, "there is no unit of work in two phases to prepare")
        with translated():
            self._transaction.prepare()

    def commit(self) -> None:
        """Commit the unit."""
        self._end("commit")

    def rollback(self) -> None:
        """Roll the unit back; a broken connection is dropped, and its unit with it."""
        try:
            self._end("rollback")
        except MQError:
            self.abandon()
            raise
        if self._connection is not None and self._connection.invalidated:
            self.abandon()

    def abandon(self) -> None:
        """Leave a unit as it is, prepared or not, and drop the connection: another instance decides it."""
        connection, self._connection, self._transaction = self._connection, None, None
        if connection is not None:
            with translated():
                connection.invalidate()

    def close(self) -> None:
        """Roll back an open unit and return the connection."""
        self.rollback()
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    @property
    def sql_dialect(self) -> Dialect:
        """SQLAlchemy's description of the database."""
        return self._engine.dialect

    def prepared(self, key: Hashable, build: Callable[[], Prepared]) -> Prepared:
        """Return the statement of a shape, which is built the first time."""
        known = self._tables.get(_STATEMENTS)
        if known is None:
            known = self._tables[_STATEMENTS] = {}
        found: Prepared | None = known.get(key)
        if found is None:
            with translated():
                found = build()
            if len(known) >= STATEMENTS_MAX:
                known.clear()
            known[key] = found
        return found

    def run(self, statement: Prepared, values: Sequence[Any]) -> tuple[list[Any], int]:
        """Run a statement with the driver's cursor; return its rows, and how many it changed."""
        if self._transaction is None:
            self.begin()
        try:
            parameters = statement.parameters(values)
        except (TypeError, ValueError, OverflowError) as problem:
            raise database_error(BAD_VALUE, 0, str(problem)) from problem
        cursor = self._driver.cursor()
        marked = self._needs_savepoint
        try:
            if marked:
                cursor.execute(SAVE_AGAIN if self._has_savepoint else SAVE)
                self._has_savepoint = True
            cursor.execute(statement.sql, parameters)
            if not statement.columns:
                found: list[Any] = []
            else:
                found = list(cursor.fetchmany(ROWS_MAX + 1))
                if len(found) > ROWS_MAX:
                    raise database_error("54000", 0, f"more than {ROWS_MAX} rows; narrow the WHERE")
                found = statement.rows(cursor, found)
            count = int(cursor.rowcount)
        except Exception as problem:
            raise self._failed(problem, cursor, marked) from problem
        finally:
            cursor.close()
        if not statement.columns and self.dialect in NEEDS_SAVEPOINTS:
            self._needs_savepoint = True  # a unit that has only read may as well begin again
        return found, count

    def _failed(self, problem: Exception, cursor: Any, marked: bool) -> Exception:
        """Undo a statement that failed; return its error."""
        connection = self._connection
        assert connection is not None
        dialect = self._engine.dialect
        if isinstance(problem, dialect.loaded_dbapi.Error) and dialect.is_disconnect(
            problem, connection.connection.dbapi_connection, cursor
        ):
            connection.invalidate(problem)
            return driver_error(problem, is_gone=True)
        with translated():
            if marked:
                cursor.execute(f"ROLLBACK TO {SAVEPOINT}")
            elif self.dialect in NEEDS_SAVEPOINTS:
                connection.connection.rollback()  # nothing was changed in the unit, which goes on
        if isinstance(problem, dialect.loaded_dbapi.Error):
            return driver_error(problem)
        if isinstance(problem, (TypeError, ValueError, OverflowError)):
            return database_error(BAD_VALUE, 0, str(problem))
        return problem

    def table(self, schema: str | None, name: str) -> TableView:
        """Return a table's description, read from the database the first time."""
        key = (schema, name)
        found: TableView | None = self._tables.get(key)
        if found is None:
            with translated():
                found = look_up(self.begin(), schema, name)
            self._tables[key] = found
        return found

    def forget_tables(self) -> None:
        """Forget table descriptions: a statement may have changed them."""
        self._tables.clear()

    @contextmanager
    def executed(self, statement: Any, values: tuple[Any, ...] = ()) -> Iterator[CursorResult[Any]]:
        """Run a statement, or SQL text with the driver's own markers; its result is valid in the block."""
        connection = self.begin()
        with translated():
            savepoint = connection.begin_nested() if self.dialect in NEEDS_SAVEPOINTS else None
            try:
                if isinstance(statement, str):
                    result = connection.exec_driver_sql(statement, values)
                else:
                    result = connection.execute(statement)
                yield result
                result.close()
            except BaseException:
                if savepoint is not None and savepoint.is_active:
                    savepoint.rollback()
                raise
            if savepoint is not None:
                savepoint.commit()
                self._needs_savepoint = True

    def _end(self, how: str) -> None:
        transaction, self._transaction = self._transaction, None
        if transaction is not None:
            with translated():
                getattr(transaction, how)()

"""The databases of a deployment, which compiled ESQL calls for statements on tables.

Each thread has its own connections, one for each data source, and so its own unit of work; the caller that
runs the program ends it with `commit_all` or `rollback_all`. Every call sets SQLCODE, SQLSTATE,
SQLNATIVEERROR and SQLERRORTEXT in the context. If the context does not throw database errors, a failed call
returns an empty result and only sets these.
"""

from __future__ import annotations

import threading
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from penstock.esql.database.column_values import to_database
from penstock.esql.database.connection import DataSourceConnection
from penstock.esql.database.engines import Engines
from penstock.esql.database.parameter_markers import with_markers
from penstock.esql.database.prepared import Prepared
from penstock.esql.database.row_changes import change_rows
from penstock.esql.database.row_trees import fetched, row_references
from penstock.esql.database.sql_terms import SqlTerms
from penstock.esql.database.stored_procedures import Called, call_procedure
from penstock.esql.runtime.errors import NO_ERROR, database_error
from penstock.esql.runtime.function_errors import type_error
from penstock.esql.runtime.tables import Table
from penstock.model import constants as mq
from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sqlalchemy import Engine

    from penstock.esql.database.row_changes import Change
    from penstock.esql.database.tables import TableView
    from penstock.tree import Reference

__all__ = ["Databases", "Table"]
T = TypeVar("T")
NO_ROWS_CODE, NO_ROWS_STATE = 100, "02000"


class SqlState(Protocol):
    """The part of a context where statements store their status."""

    sqlcode: int
    sqlstate: str
    sqlnativeerror: int
    sqlerrortext: str
    throws_database_errors: bool


class Databases:
    """Data sources by name, and the connections of every thread to them.

    `urls` are given by name, or by a function that finds them (`DataSources.url`); `default` is the data
    source of statements that name none. With `two_phases`, units are prepared before they are committed.
    """

    def __init__(
        self,
        urls: Mapping[str, str] | Callable[[str], str],
        default: str | None = None,
        *,
        two_phases: bool = False,
    ) -> None:
        self.default = default
        self._two_phases = two_phases
        self._name_unit: Callable[[str], str] | None = None
        self._engines = Engines(urls)  # shared by all views
        self._local = threading.local()
        self._views: list[Databases] = []  # shared by all views

    def for_default(self, name: str) -> Databases:
        """Return the same data sources and connections, with another default: a node has its own."""
        view = copy(self)
        view.default = name
        return view

    def apart(self) -> Databases:
        """Return the same data sources with separate connections, and so separate units of work."""
        view = copy(self)
        view._local = threading.local()
        self._views.append(view)
        return view

    def coordinated(self, name_unit: Callable[[str], str]) -> Databases:
        """Return the same data sources, with connections whose units a coordinator ends.

        `name_unit` names the unit of a data source; it is prepared first where the database can do that.
        """
        view = copy(self)
        view._name_unit = name_unit
        view._local = threading.local()
        return view

    def select(
        self,
        ctx: SqlState,
        table: Table,
        condition: tuple[Any, ...] | None = None,
        values: Sequence[Any] = (),
        columns: Sequence[str] | None = None,
    ) -> list[Reference]:
        """Return the rows for which a condition is true.

        Columns are named as asked for, or all as they are.
        """

        def run() -> list[Reference]:
            connection, view = self._table(table)
            names = view.names if columns is None else list(columns)

            def build() -> Prepared:
                from sqlalchemy import select

                terms = SqlTerms(view, values, connection.dialect)
                read = [view.column(name) for name in names]
                statement = select(*read) if read else select(view.sql)
                if condition is not None:
                    statement = statement.where(terms.condition(condition))
                kinds = [each.type for each in read or view.sql.c]
                return Prepared(statement, terms.bound, kinds, connection.sql_dialect)

            key = ("select", table, tuple(names), condition, *map(type, values))
            rows, _ = connection.run(connection.prepared(key, build), values)
            return row_references(names or view.names, rows)

        return self._noted(ctx, run, [])

    def insert(self, ctx: SqlState, table: Table, columns: Sequence[str], values: Sequence[Any]) -> None:
        """Insert a row; without columns the values are for all of them, in the table's order."""

        def run() -> int:
            connection, view = self._table(table)
            names = list(columns) or view.names
            if len(names) != len(values):
                raise database_error("21S01", 0, f"{len(values)} values for {len(names)} columns")

            def build() -> Prepared:
                from sqlalchemy import insert

                terms = SqlTerms(view, values, connection.dialect)
                found = [view.column(name) for name in names]
                row = {each.name: terms.bind(index, each.type) for index, each in enumerate(found)}
                statement = insert(view.sql).values(row).inline()
                return Prepared(statement, terms.bound, (), connection.sql_dialect)

            key = ("insert", table, tuple(names), *map(type, values))
            return connection.run(connection.prepared(key, build), values)[1]

        self._noted(ctx, run, 0)

    def update(
        self,
        ctx: SqlState,
        table: Table,
        columns: Sequence[str],
        expressions: Sequence[tuple[Any, ...]],
        condition: tuple[Any, ...] | None,
        values: Sequence[Any],
    ) -> None:
        """Change columns of the rows for which a condition is true."""

        def change(view: TableView, terms: SqlTerms) -> Any:
            from sqlalchemy import update

            changes = {
                view.column(name).name: terms.value(term, name)
                for name, term in zip(columns, expressions, strict=True)
            }
            return update(view.sql).values(changes)

        self._change_where(
            ctx, table, condition, values, change, ("update", tuple(columns), tuple(expressions))
        )

    def delete(
        self,
        ctx: SqlState,
        table: Table,
        condition: tuple[Any, ...] | None = None,
        values: Sequence[Any] = (),
    ) -> None:
        """Delete the rows for which a condition is true; without one, all."""

        def change(view: TableView, _: SqlTerms) -> Any:
            from sqlalchemy import delete

            return delete(view.sql)

        self._change_where(ctx, table, condition, values, change, ("delete",))

    def _change_where(
        self,
        ctx: SqlState,
        table: Table,
        condition: tuple[Any, ...] | None,
        values: Sequence[Any],
        change: Callable[[TableView, SqlTerms], Any],
        key: tuple[Any, ...],
    ) -> None:
        """Run a statement on the rows for which a condition is true; `key` tells it from others."""

        def run() -> int:
            connection, view = self._table(table)

            def build() -> Prepared:
                terms = SqlTerms(view, values, connection.dialect)
                statement = change(view, terms)
                if condition is not None:
                    statement = statement.where(terms.condition(condition))
                return Prepared(statement, terms.bound, (), connection.sql_dialect)

            known = connection.prepared((*key, table, condition, *map(type, values)), build)
            return connection.run(known, values)[1]

        self._noted(ctx, run, 0, rows_wanted=True)

    def update_rows(
        self,
        ctx: SqlState,
        table: Table,
        columns: Sequence[str],
        condition: tuple[Any, ...] | None,
        values: Sequence[Any],
        names: Sequence[str] | None,
        change: Change,
    ) -> None:
        """Change columns of the rows for which a condition is true and `change` gives new values.

        `names` are the columns that `change` reads, None for all.
        """
        from sqlalchemy import update

        def run() -> int:
            connection, view = self._table(table)

            def statement(new: tuple[Any, ...]) -> Any:
                pairs = [(view.column(name), value) for name, value in zip(columns, new, strict=True)]
                dialect = connection.dialect
                found = {each.name: to_database(value, each.type, dialect) for each, value in pairs}
                return update(view.sql).values(found)

            return self._change(connection, view, condition, values, names, change, statement)

        self._noted(ctx, run, 0, rows_wanted=True)

    def delete_rows(
        self,
        ctx: SqlState,
        table: Table,
        condition: tuple[Any, ...] | None,
        values: Sequence[Any],
        names: Sequence[str] | None,
        change: Change,
    ) -> None:
        """Delete the rows for which a condition is true and `change` gives anything but None."""
        from sqlalchemy import delete

        def run() -> int:
            connection, view = self._table(table)
            return self._change(
                connection, view, condition, values, names, change, lambda _: delete(view.sql)
            )

        self._noted(ctx, run, 0, rows_wanted=True)

    @staticmethod
    def _change(
        connection: DataSourceConnection,
        view: TableView,
        condition: tuple[Any, ...] | None,
        values: Sequence[Any],
        names: Sequence[str] | None,
        change: Change,
        statement: Callable[[tuple[Any, ...]], Any],
    ) -> int:
        sql = None if condition is None else SqlTerms(view, values, connection.dialect).condition(condition)
        return change_rows(connection, view, sql, view.names if names is None else names, change, statement)

    def passthru(
        self, ctx: SqlState, dsn: str | None, sql: str, values: Sequence[Any] = ()
    ) -> list[Reference]:
        """Run SQL text unchanged, with its question marks as parameters; return its rows, if any."""

        def run() -> list[Reference]:
            if type(sql) is not str:
                raise type_error("PASSTHRU", sql)
            connection = self.connection(dsn)
            style = "qmark" if connection.dialect == "sqlite" else "format"
            text, count = with_markers(sql, style)
            if count != len(values):
                raise database_error("07001", 0, f"{count} parameter markers and {len(values)} values")
            bound = tuple(to_database(value, None, connection.dialect) for value in values)
            with connection.executed(text, bound) as result:
                if result.returns_rows:
                    return row_references(list(result.keys()), fetched(result))
                connection.forget_tables()
                return []

        return self._noted(ctx, run, [])

    def call(
        self,
        ctx: SqlState,
        name: str,
        schema: str | None,
        arguments: Sequence[Any],
        directions: Sequence[str],
        result_sets: int = 0,
        dsn: str | None = None,
    ) -> tuple[list[Any], list[list[Reference]], Any]:
        """Call a stored procedure: its OUT values in order, its result sets, and what it returns."""

        def run() -> tuple[list[Any], list[list[Reference]], Any]:
            found: Called = call_procedure(self.connection(dsn), schema, name, arguments, directions)
            sets = [row_references(names, rows) for names, rows in found.result_sets[:result_sets]]
            return found.outs, sets, found.returned

        nothing: tuple[list[Any], list[list[Reference]], Any] = ([], [], None)
        return self._noted(ctx, run, nothing)

    def commit(self, ctx: SqlState, dsn: str | None = None) -> None:
        """Commit this thread's work on one data source, or on all if none is named."""
        self._noted(ctx, lambda: self._end(dsn, DataSourceConnection.commit), None)

    def rollback(self, ctx: SqlState, dsn: str | None = None) -> None:
        """Roll back this thread's work on one data source, or on all if none is named."""
        self._noted(ctx, lambda: self._end(dsn, DataSourceConnection.rollback), None)

    def prepare_all(self) -> list[str]:
        """Prepare every unit of this thread; the first that cannot be prepared raises.

        With a coordinator, units of databases without two phases are left to it (`last_agents`). Returns the
        names of the prepared data sources.
        """
        prepared = []
        for name, connection in self._connections().items():
            if connection.in_unit and (self._name_unit is None or connection.in_two_phases):
                connection.prepare()
                prepared.append(name)
        return prepared

    def last_agents(self) -> list[str]:
        """Return the data sources with a unit in this thread that cannot be prepared."""
        found = self._connections().items()
        return [name for name, connection in found if connection.in_unit and not connection.in_two_phases]

    def commit_one(self, name: str) -> None:
        """Commit this thread's unit on one data source."""
        self._end(name, DataSourceConnection.commit)

    def abandon_all(self) -> None:
        """Leave every unit of this thread as it is: prepared ones stay so until they are resolved."""
        self._end(None, DataSourceConnection.abandon)

    def commit_all(self) -> None:
        """Commit every unit of this thread."""
        self._end(None, DataSourceConnection.commit)

    def rollback_all(self) -> None:
        """Roll back every unit of this thread."""
        self._end(None, DataSourceConnection.rollback)

    def close(self) -> None:
        """Roll back what is open in this thread, return its connections and dispose of the engines."""
        for view in (self, *self._views):
            for connection in view._connections().values():
                connection.close()
            view._connections().clear()
        self._engines.close()

    def connection(self, dsn: str | None = None) -> DataSourceConnection:
        """Return this thread's connection to a data source, or to the default one."""
        name = dsn or self.default
        if not name:
            raise error(
                mq.PSRC_DSN_UNKNOWN, "the statement names no data source, and there is no default one"
            )
        mine = self._connections()
        if name not in mine:
            engine, tables = self._engines.of(name)
            namer = None if self._name_unit is None else partial(self._name_unit, name)
            mine[name] = DataSourceConnection(engine, tables, self._two_phases, namer)
        return mine[name]

    def _connections(self) -> dict[str, DataSourceConnection]:
        found: dict[str, DataSourceConnection] | None = getattr(self._local, "connections", None)
        if found is None:
            found = self._local.connections = {}
        return found

    def engine(self, name: str) -> Engine:
        """Return the engine of a data source."""
        return self._engines.of(name)[0]

    def url(self, name: str) -> str:
        """Return the URL of a data source; raise 8230 for an unknown one."""
        return self._engines.url(name)

    def _table(self, table: Table) -> tuple[DataSourceConnection, TableView]:
        connection = self.connection(table.dsn)
        return connection, connection.table(table.schema, table.name)

    def _end(self, dsn: str | None, how: Callable[[DataSourceConnection], None]) -> None:
        for name, connection in self._connections().items():
            if dsn is None or name == dsn:
                how(connection)

    def _noted(self, ctx: SqlState, run: Callable[[], T], nothing: T, rows_wanted: bool = False) -> T:
        """Run a statement and set the status in the context; return `nothing` for a failure that is not
        thrown.
        """
        try:
            found = run()
        except MQError as raised:
            ctx.sqlcode = raised.fields.get("sqlcode", -1)
            ctx.sqlstate = raised.fields.get("sqlstate", "DHY000")
            ctx.sqlnativeerror = raised.fields.get("native", 0)
            ctx.sqlerrortext = raised.detail
            if ctx.throws_database_errors:
                raise
            return nothing
        none = rows_wanted and found == 0
        ctx.sqlcode = NO_ROWS_CODE if none else 0
        ctx.sqlstate = NO_ROWS_STATE if none else NO_ERROR
        ctx.sqlnativeerror, ctx.sqlerrortext = 0, ""
        return found

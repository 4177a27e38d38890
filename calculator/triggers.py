"""Database triggers that make the catalogue append-only, the same rules for SQLite and PostgreSQL.

Rows of prices, exchange rates and figures never change and are never deleted; one write-once column marks a row as
voided (prices only while their start lies in the future) or withdrawn. Version numbers have no gap. The bytes of an
uploaded price file and the version that it became never change either; events never change at all. A migration that
rebuilds one of these tables on SQLite drops its triggers: it must end with `install` again.
"""

from dataclasses import dataclass, replace

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps


@dataclass(frozen=True, slots=True)
class Guard:
    """One append-only table. `once` = the columns that may be written once, the first of which decides.

    `free` columns may change; `settled` are those among them that keep the first value that they are given.
    """

    table: str
    columns: tuple[str, ...]
    once: tuple[str, ...]
    only_future_starts: bool = False
    currency: str = ""
    free: tuple[str, ...] = ()
    settled: tuple[str, ...] = ()

    @property
    def frozen(self) -> tuple[str, ...]:
        """The columns that never change."""
        return tuple(column for column in self.columns if column not in self.once + self.free)


PRICE_COLUMNS = (
    "id item_id component mode region context_over window audience kind amount currency unit tax_basis valid_from "
    "origin source_url checked_on note note_fr catalog_version_id recorded_at voided_in_version_id void_reason"
)
RATE_COLUMNS = (
    "id base quote rate rate_date source source_url published_at note note_fr catalog_version_id recorded_at "
    "voided_in_version_id void_reason"
)
FIGURE_COLUMNS = (
    "id sku_id language_model_id conditions precision engine input_tokens output_tokens concurrency metric value unit "
    "scope kind label reference as_of single_stream test_model run published_at withdrawn_at "
    "exception"
)
LATENCY_COLUMNS = (
    "id item_id kind region measured_at as_of ttft_p50_ms ttft_p95_ms tpot_p50_ms claimed_ms input_tokens "
    "output_tokens concurrency requests_count label note note_fr run published_at withdrawn_at"
)
UPLOAD_COLUMNS = "id original_name sha256 size_bytes content origin audience uploaded_by_id uploaded_at today"
UPLOAD_PROGRESS = (
    "kind format encoding delimiter decimal_mark columns default_valid_from status base_version_id diff_hash new_count "
    "changed_count unchanged_count withdrawn_count error_count warning_count blocked_count approved_by_id approved_at "
    "approved_hash applied_by_id applied_at effective_at applied_version_id reason"
)
EVENT_COLUMNS = "id at actor_id action audience upload_id version_id subject valid_from before after reason request_id"
VOID = ("voided_in_version_id", "void_reason")
GUARDS = (
    Guard("calculator_pricerow", tuple(PRICE_COLUMNS.split()), VOID, only_future_starts=True, currency="currency"),
    Guard("calculator_fxrate", tuple(RATE_COLUMNS.split()), VOID, currency="quote"),
    Guard("calculator_figure", tuple(FIGURE_COLUMNS.split()), ("withdrawn_at",)),
    Guard("calculator_apilatency", tuple(LATENCY_COLUMNS.split()), ("withdrawn_at",)),
    Guard(
        "calculator_catalogversion", ("number", "kind", "created_at", "created_by_id", "summary", "rolls_back_id"), ()
    ),
    Guard(
        "calculator_priceupload",
        tuple(f"{UPLOAD_COLUMNS} {UPLOAD_PROGRESS}".split()),
        (),
        free=tuple(UPLOAD_PROGRESS.split()),
        settled=("applied_by_id", "applied_at", "effective_at", "applied_version_id"),
    ),
    Guard("calculator_priceevent", tuple(EVENT_COLUMNS.split()), ()),
)
GAPLESS = "NEW.number <> (SELECT COALESCE(MAX(number), 0) + 1 FROM calculator_catalogversion)"


def frozen_changed(guard: Guard, distinct: str) -> str:
    """The SQL condition that a column that never changes would change."""
    return " OR ".join(f'NEW."{column}" {distinct} OLD."{column}"' for column in guard.frozen)


def once_broken(guard: Guard, now: str) -> str:
    """The SQL condition that the write-once columns are written a second time, emptied, or written too late."""
    if not guard.once:
        return ""
    first = guard.once[0]
    broken = f'OLD."{first}" IS NOT NULL OR NEW."{first}" IS NULL'
    return f'{broken} OR OLD."valid_from" <= {now}' if guard.only_future_starts else broken


def settled_changed(guard: Guard, distinct: str) -> str:
    """The SQL condition that a column that keeps its first value would change."""
    return " OR ".join(
        f'OLD."{column}" IS NOT NULL AND NEW."{column}" {distinct} OLD."{column}"' for column in guard.settled
    )


def update_refused(guard: Guard, distinct: str, now: str) -> str:
    """The whole SQL condition under which an UPDATE is refused."""
    broken = (frozen_changed(guard, distinct), once_broken(guard, now), settled_changed(guard, distinct))
    return " OR ".join(filter(None, broken))


def insert_refused(guard: Guard, currency_test: str) -> str:
    """The SQL condition under which an INSERT is refused: a currency that is not three capitals, a gap in versions."""
    if guard.currency:
        return f'NEW."{guard.currency}" {currency_test}'
    return GAPLESS if guard.table == "calculator_catalogversion" else ""


def sqlite_statements(guard: Guard) -> list[str]:
    """The CREATE TRIGGER statements of one table for SQLite (instants are stored as UTC text)."""
    now = "strftime('%Y-%m-%d %H:%M:%f', 'now')"
    conditions = {
        "update": update_refused(guard, "IS NOT", now),
        "delete": "1",
        "insert": insert_refused(guard, "NOT GLOB '[A-Z][A-Z][A-Z]'"),
    }
    return [
        f"CREATE TRIGGER {guard.table}_{event} BEFORE {event.upper()} ON {guard.table} WHEN {condition} "
        f"BEGIN SELECT RAISE(ABORT, '{guard.table} is append-only: {event} refused'); END"
        for event, condition in conditions.items()
        if condition
    ]


def postgres_statements(guard: Guard) -> list[str]:
    """The function and trigger of one table for PostgreSQL; refusals are integrity errors as on SQLite."""
    conditions = {
        "UPDATE": update_refused(guard, "IS DISTINCT FROM", "CURRENT_TIMESTAMP"),
        "DELETE": "TRUE",
        "INSERT": insert_refused(guard, "!~ '^[A-Z]{3}$'") or "FALSE",
    }
    checks = " ".join(
        f"IF TG_OP = '{event}' THEN IF {condition} THEN RAISE EXCEPTION '{guard.table} is append-only: "
        f"{event.lower()} refused' USING ERRCODE = 'integrity_constraint_violation'; END IF; END IF;"
        for event, condition in conditions.items()
    )
    return [
        f"CREATE FUNCTION {guard.table}_guard() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {checks} "
        f"IF TG_OP = 'DELETE' THEN RETURN OLD; END IF; RETURN NEW; END $$",
        f"CREATE TRIGGER {guard.table}_guard BEFORE INSERT OR UPDATE OR DELETE ON {guard.table} "
        f"FOR EACH ROW EXECUTE FUNCTION {guard.table}_guard()",
    ]


def removal_statements(vendor: str, guard: Guard) -> list[str]:
    """What takes the triggers of one table away again."""
    if vendor == "postgresql":
        return [
            f"DROP TRIGGER IF EXISTS {guard.table}_guard ON {guard.table}",
            f"DROP FUNCTION IF EXISTS {guard.table}_guard()",
        ]
    return [f"DROP TRIGGER IF EXISTS {guard.table}_{event}" for event in ("insert", "update", "delete")]


def creation_statements(vendor: str, guard: Guard) -> list[str]:
    """What puts the triggers of one table in place."""
    return postgres_statements(guard) if vendor == "postgresql" else sqlite_statements(guard)


def present(connection: BaseDatabaseWrapper) -> list[Guard]:
    """The guards of the tables that exist at this point of the migrations."""
    tables = set(connection.introspection.table_names())
    return [guard for guard in GUARDS if guard.table in tables]


def remove(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Drop the triggers (the reverse of `install`)."""
    for guard in present(schema_editor.connection):
        for statement in removal_statements(schema_editor.connection.vendor, guard):
            schema_editor.execute(statement)


def standing(guard: Guard, connection: BaseDatabaseWrapper) -> Guard:
    """The guard of the columns that its table has at this point of the migrations."""
    with connection.cursor() as cursor:
        columns = {column.name for column in connection.introspection.get_table_description(cursor, guard.table)}
    return replace(guard, columns=tuple(column for column in guard.columns if column in columns))


def install(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Create the triggers, replacing those already there."""
    remove(apps, schema_editor)
    connection = schema_editor.connection
    for guard in present(connection):
        for statement in creation_statements(connection.vendor, standing(guard, connection)):
            schema_editor.execute(statement)

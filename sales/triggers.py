"""Database triggers that keep quotes as they were sent, the same rules for SQLite and PostgreSQL.

A quote's number is the next of its year or nothing; with its number the row is closed for good, and its lines with it.
Customers of numbered quotes can only be emptied, links only be opened and revoked once, proposals only lose their
comment; events and costs never change. A migration that rebuilds one of these tables on SQLite drops its triggers: it
must end with `install` again.
"""

from dataclasses import dataclass

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

NEVER = "1 = 1"
DIFFERS = {"sqlite": "IS NOT", "postgresql": "IS DISTINCT FROM"}
NUMBERED = 'EXISTS (SELECT 1 FROM sales_quote q WHERE q.id = {row}."quote_id" AND q.sequence IS NOT NULL)'
NEXT = (
    "(SELECT COALESCE(MAX(other.sequence), 0) + 1 FROM sales_quote other "
    'WHERE other.year = NEW."year" AND other.id <> NEW."id")'
)
EMPTIED = 'NEW."name" = \'\' AND NEW."contact" = \'\' AND NEW."reference" = \'\' AND NEW."erased_at" IS NOT NULL'


@dataclass(frozen=True, slots=True)
class Rule:
    """When a table refuses a change: SQL conditions, `{differs}` standing for “is another value, or none”."""

    table: str
    update: str = NEVER
    insert: str = ""
    delete: str = NEVER


def changed(*columns: str) -> str:
    """The condition that one of the columns would change."""
    return " OR ".join(f'NEW."{column}" {{differs}} OLD."{column}"' for column in columns)


def set_again(*columns: str) -> str:
    """The condition that a column that keeps its first value would change."""
    return " OR ".join(
        f'(OLD."{column}" IS NOT NULL AND NEW."{column}" {{differs}} OLD."{column}")' for column in columns
    )


RULES = (
    Rule(
        "sales_quote",
        update='OLD."sequence" IS NOT NULL OR (NEW."sequence" IS NOT NULL AND NEW."sequence" <> ' + NEXT + ")",
        insert='NEW."sequence" IS NOT NULL',
    ),
    Rule(
        "sales_quoteyear",
        update='NEW."year" <> OLD."year" OR NEW."last" <> OLD."last" + 1',
        insert='NEW."last" <> 0',
    ),
    Rule("sales_quoteline", insert=NUMBERED.format(row="NEW")),
    Rule(
        "sales_quotecustomer",
        update=f"{changed('id', 'quote_id')} OR ({NUMBERED.format(row='OLD')} AND NOT ({EMPTIED})) "
        f"OR {set_again('erased_at')}",
        insert=NUMBERED.format(row="NEW"),
    ),
    Rule(
        "sales_quotelink",
        update=f"{changed('id', 'quote_id', 'token_hash', 'created_at', 'created_by_id')} "
        f"OR {set_again('first_opened_at', 'revoked_at')}",
    ),
    Rule(
        "sales_quoteproposal",
        update=f"{changed('id', 'quote_id', 'link_id', 'at', 'query', 'total_eur')} OR NEW.\"comment\" <> '' "
        'OR CAST(NEW."results" AS text) <> CAST(OLD."results" AS text)',
    ),
    Rule("sales_quoteevent"),
    Rule("sales_skucost"),
)


def conditions(rule: Rule, vendor: str) -> dict[str, str]:
    """Each event that is watched with the condition under which it is refused."""
    found = {"insert": rule.insert, "update": rule.update, "delete": rule.delete}
    return {event: text.format(differs=DIFFERS[vendor]) for event, text in found.items() if text}


def sqlite_statements(rule: Rule) -> list[str]:
    """The CREATE TRIGGER statements of one table for SQLite."""
    return [
        f"CREATE TRIGGER {rule.table}_{event} BEFORE {event.upper()} ON {rule.table} WHEN {condition} "
        f"BEGIN SELECT RAISE(ABORT, '{rule.table} is closed: {event} refused'); END"
        for event, condition in conditions(rule, "sqlite").items()
    ]


def postgres_statements(rule: Rule) -> list[str]:
    """The function and trigger of one table for PostgreSQL; refusals are integrity errors as on SQLite."""
    checks = " ".join(
        f"IF TG_OP = '{event.upper()}' THEN IF {condition} THEN RAISE EXCEPTION '{rule.table} is closed: {event} "
        f"refused' USING ERRCODE = 'integrity_constraint_violation'; END IF; END IF;"
        for event, condition in conditions(rule, "postgresql").items()
    )
    return [
        f"CREATE FUNCTION {rule.table}_guard() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {checks} "
        f"IF TG_OP = 'DELETE' THEN RETURN OLD; END IF; RETURN NEW; END $$",
        f"CREATE TRIGGER {rule.table}_guard BEFORE INSERT OR UPDATE OR DELETE ON {rule.table} "
        f"FOR EACH ROW EXECUTE FUNCTION {rule.table}_guard()",
    ]


def creation_statements(vendor: str, rule: Rule) -> list[str]:
    """What puts the triggers of one table in place."""
    return postgres_statements(rule) if vendor == "postgresql" else sqlite_statements(rule)


def removal_statements(vendor: str, rule: Rule) -> list[str]:
    """What takes the triggers of one table away again."""
    if vendor == "postgresql":
        return [
            f"DROP TRIGGER IF EXISTS {rule.table}_guard ON {rule.table}",
            f"DROP FUNCTION IF EXISTS {rule.table}_guard()",
        ]
    return [f"DROP TRIGGER IF EXISTS {rule.table}_{event}" for event in ("insert", "update", "delete")]


def present(connection: BaseDatabaseWrapper) -> list[Rule]:
    """The rules of the tables that exist at this point of the migrations."""
    tables = set(connection.introspection.table_names())
    return [rule for rule in RULES if rule.table in tables]


def remove(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Drop the triggers (the reverse of `install`)."""
    for rule in present(schema_editor.connection):
        for statement in removal_statements(schema_editor.connection.vendor, rule):
            schema_editor.execute(statement)


def install(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Create the triggers, replacing those already there."""
    remove(apps, schema_editor)
    for rule in present(schema_editor.connection):
        for statement in creation_statements(schema_editor.connection.vendor, rule):
            schema_editor.execute(statement)

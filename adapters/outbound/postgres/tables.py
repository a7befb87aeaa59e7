"""What Tickler's tables are made of, and where that is not what the migrations make.

A trigger that returns nothing, or a rule that does nothing instead, lets every write vanish; without a
constraint a row that makes no sense can be written.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from adapters.outbound.postgres.roles import GUARD, Connection

TABLES_MEANT = Path(__file__).with_name("tables.txt")
# The server says names and times by these.
SAID_ALIKE = (
    "set local search_path = pg_catalog; set local time zone 'UTC'; set local datestyle = 'ISO';"
    " set local intervalstyle = 'postgres'; set local quote_all_identifiers = off"
)
# Keys and unique constraints are told with their indexes, and that a column is filled with the column. A
# foreign key is kept by triggers of its own. The guard of the history is looked at with the roles.
THINGS = """
with ours as (
    select oid, relname::text, relpersistence from pg_class
     where relnamespace = to_regnamespace('tickler') and relkind in ('r', 'p')
)
select relname, 'table ' || relname,
       case relpersistence when 'p' then 'kept' else 'not kept through a crash' end
  from ours
union all
select relname, 'column ' || a.attname || ' of ' || relname,
       format_type(a.atttypid, a.atttypmod) || case when a.attnotnull then ' not null' else '' end
       || case a.attidentity when '' then '' when 'a' then ' always as identity' else ' as identity' end
       || case a.attgenerated when '' then '' else ' generated' end
       || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')
  from ours join pg_attribute a on a.attrelid = ours.oid and a.attnum > 0 and not a.attisdropped
  left join pg_attrdef d on d.adrelid = ours.oid and d.adnum = a.attnum
union all
select relname, 'constraint ' || k.conname || ' of ' || relname,
       pg_get_constraintdef(k.oid)
       || case when exists (select from pg_trigger t
                             where t.tgconstraint = k.oid and t.tgenabled in ('D', 'R'))
               then ', off' else '' end
  from ours join pg_constraint k on k.conrelid = ours.oid and k.contype in ('c', 'f')
union all
select relname, 'trigger ' || t.tgname || ' of ' || relname, pg_get_triggerdef(t.oid)
  from ours join pg_trigger t on t.tgrelid = ours.oid and not t.tgisinternal
 where (relname, t.tgname) <> ('domain_events', %s)
union all
select relname, 'rule ' || r.rulename || ' of ' || relname, pg_get_ruledef(r.oid)
  from ours join pg_rewrite r on r.ev_class = ours.oid
"""


def table_faults(connection: Connection) -> Sequence[str]:
    """What differs in a schema that is up to date; other tables beside ours are nobody's business."""
    meant = things_meant()
    ours = {name.removeprefix("table ") for name in meant if name.startswith("table ")}
    return list(_faults(meant, things_there(connection, ours)))


def things_meant() -> Mapping[str, str]:
    """Each part of the newest schema's tables, as `constraint x of y`, and what it is."""
    lines = TABLES_MEANT.read_text("utf-8").splitlines()
    told = (line.partition(": ") for line in lines if not line.startswith("#"))
    return {name: definition for name, _, definition in told}


def things_there(connection: Connection, tables: set[str] | None = None) -> Mapping[str, str]:
    """The same of the schema that is there, of all tables or of some."""
    with connection.transaction():
        connection.execute(SAID_ALIKE)
        found = connection.execute(THINGS.encode(), (GUARD,)).fetchall()
    return {str(name): str(what) for table, name, what in found if tables is None or table in tables}


def _faults(meant: Mapping[str, str], there: Mapping[str, str]) -> Iterator[str]:
    lost = {name.removeprefix("table ") for name in meant.keys() - there.keys() if name.startswith("table ")}
    for name in sorted(meant.keys() | there.keys()):
        if name.rpartition(" of ")[2] in lost:
            continue
        if name not in meant:
            yield f"the {name} is not ours"
        elif name not in there:
            yield f"the {name} is missing ({meant[name]})"
        elif there[name] != meant[name]:
            yield f"the {name} is {there[name]}, and not {meant[name]}"

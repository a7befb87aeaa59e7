"""What is not as the migrations make it in Tickler's tables is found, each thing by its name."""

import psycopg
import pytest

from adapters.outbound.postgres.tables import table_faults, things_meant, things_there


def test_the_tables_that_are_meant_are_those_that_the_migrations_make(postgres_url: str) -> None:
    with psycopg.connect(postgres_url) as connection:
        # As a server elsewhere may be set.
        connection.execute("set time zone 'Asia/Kathmandu'; set datestyle = 'German'")
        assert things_meant() == things_there(connection)


NOTHING = "create function public.nothing() returns trigger language plpgsql as 'begin return null; end';"
SPOILED = {
    NOTHING + " create trigger vanish before insert on tickler.outbox for each row"
    " execute function public.nothing()": "the trigger vanish of outbox is not ours",
    NOTHING + " create trigger vanish before insert on tickler.domain_events for each row"
    " execute function public.nothing()": "the trigger vanish of domain_events is not ours",
    "create rule vanish as on update to tickler.deliveries do instead nothing": (
        "the rule vanish of deliveries is not ours"
    ),
    "alter table tickler.event_reminders drop constraint sent_at_if_and_only_if_sent": (
        "the constraint sent_at_if_and_only_if_sent of event_reminders is missing"
        " (CHECK (((sent_at IS NOT NULL) = (status = 'Sent'::text))))"
    ),
    "alter table tickler.outbox add constraint none check (topic <> '')": (
        "the constraint none of outbox is not ours"
    ),
    "alter table tickler.deferred_touches drop constraint deferred_touches_depth_check,"
    " add constraint deferred_touches_depth_check check (depth >= 0) not valid": (
        "the constraint deferred_touches_depth_check of deferred_touches is CHECK ((depth >= 0)) NOT VALID,"
        " and not CHECK ((depth >= 0))"
    ),
    "alter table tickler.people disable trigger all": (
        "the constraint people_tenant_id_fkey of people is FOREIGN KEY (tenant_id) REFERENCES"
        " tickler.tenants(id), off, and not FOREIGN KEY (tenant_id) REFERENCES tickler.tenants(id)"
    ),
    "alter table tickler.outbox alter column topic drop not null": (
        "the column topic of outbox is text, and not text not null"
    ),
    "alter table tickler.outbox alter column claim drop default": (
        "the column claim of outbox is bigint not null, and not bigint not null default 0"
    ),
    "alter table tickler.texts add column more text not null": "the column more of texts is not ours",
    "alter table tickler.inbox set unlogged": ("the table inbox is not kept through a crash, and not kept"),
    "drop table tickler.quarantine": "the table quarantine is missing (kept)",
}


@pytest.mark.parametrize("change", SPOILED)
def test_what_lets_writes_vanish_or_rows_make_no_sense_is_found(postgres_url: str, change: str) -> None:
    with psycopg.connect(postgres_url) as connection:
        connection.execute("create table tickler.somebody_elses (id int check (id > 0))")
        assert table_faults(connection) == []
        connection.execute(change.encode())
        told = table_faults(connection)
        connection.rollback()
    assert SPOILED[change] in told
    # Of a foreign key that is off both sides are.
    assert len(told) == (4 if "disable trigger" in change else 1)

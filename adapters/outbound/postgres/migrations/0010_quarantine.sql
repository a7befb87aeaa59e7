-- Records of a topic that can never be taken in, with their bytes; the consumer goes on past them.

create table tickler.quarantine (
    topic            text        not null,
    partition        integer     not null,
    "offset"         bigint      not null,
    fingerprint      bytea       not null,
    key              bytea,
    value            bytea,
    header_names     text[]      not null,
    header_values    bytea[]     not null check (cardinality(header_values) = cardinality(header_names)),
    reason           text        not null,
    at               timestamptz not null,
    -- Why: a record that is read again is kept once; offsets begin anew where a topic was made anew.
    primary key (topic, partition, "offset", fingerprint)
);

-- Why: whoever looks wants the latest.
create index ix_quarantine_at on tickler.quarantine (at, topic, partition, "offset");

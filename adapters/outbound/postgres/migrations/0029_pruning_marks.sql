-- Up to when what is over was let go at the latest, kind by kind: what lacks from before that was pruned.
create table tickler.pruning_marks (
    what          text        primary key, -- Why: one mark of a kind.
    pruned_before timestamptz not null
);

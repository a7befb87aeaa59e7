-- Why: whatever calendar a message names, what came of its UIDs before is found; with it what a series had.
create index ix_imports_uid on tickler.imports (uid);

-- What happens to memories after they are stored, and how to take it back.

-- ------------------------------------------------------------------------------------------ the life of memories

create table maintenance (                       -- which memory was changed by upkeep: when, why, from what
    key       integer primary key autoincrement, -- the row; a later change has a higher one
    id        text not null unique,              -- what people see and keep
    run       text not null,                     -- the run of upkeep that it belongs to
    step      text not null,                     -- compress, distil, prune, expire ...
    action    text not null,                     -- what was done: summarised, expires, pruned ...
    memory_id text not null,                     -- the memory; no reference, because this outlives it
    at        text not null,                     -- when
    why       text not null,                     -- the reason, in words
    sources   text not null default '[]',        -- JSON: the ids of the memories that it follows from
    before    text,                              -- JSON: the rows as they were; null: nothing to bring back
    undone_at text                               -- when it was taken back
);
create index maintenance_memory on maintenance(memory_id);
create index maintenance_run on maintenance(run, key);

create table pruned (                            -- a memory that was let go, and can be brought back for a while
    memory_id  text primary key,                 -- its id
    rows       text not null,                    -- JSON: its row, and all that hung on it, by table
    why        text not null,                    -- the reason, in words
    pruned_at  text not null,                    -- when it was let go
    kept_until text not null                     -- from then on it is gone for good
) without rowid;
create index pruned_kept on pruned(kept_until);

create table proposals (                         -- what a person is asked to decide about
    key        integer primary key,              -- the row
    id         text not null unique,             -- what people see and keep
    kind       text not null check (kind in ('merge', 'contradiction')),  -- what is proposed
    members    text not null,                    -- JSON: the ids of the memories it is about, sorted
    text       text not null default '',         -- what they would become
    why        text not null default '',         -- the reason, in words
    state      text not null default 'open' check (state in ('open', 'accepted', 'refused')),  -- what was decided
    created_at text not null,                    -- when it was first proposed
    decided_at text,                             -- when it was decided
    unique (kind, members)
);
create index proposals_state on proposals(state, key);

create table feedback (                          -- whether a hit was of use
    key        integer primary key,              -- the row
    memory_key integer not null references memories(key) on delete cascade,  -- the memory
    question   text not null default '',         -- what was asked
    useful     integer not null check (useful in (0, 1)),  -- 1: it was, 0: it was not
    at         text not null                     -- when it was said
);
create index feedback_memory on feedback(memory_key);

-- A file that was made before this index has none yet.
create index if not exists memories_hidden on memories(key)
    where archived_at is not null or valid_from is not null or valid_until is not null or expires_at is not null;

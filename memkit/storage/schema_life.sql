-- The upkeep of memories: the log, pruned memories, proposals and feedback.

-- ------------------------------------------------------------------------------------------ the life of memories

create table maintenance (                       -- the log of upkeep: a change of a memory, its reason and its sources
    key       integer primary key autoincrement, -- the row; a later change has a higher one
    id        text not null unique,              -- the id that people see
    run       text not null,                     -- the run of upkeep that it belongs to
    step      text not null,                     -- compress, distil, prune, expire ...
    action    text not null,                     -- what was done: summarised, expires, pruned ...
    memory_id text not null,                     -- the memory's id; no reference, because the log outlives the memory
    at        text not null,                     -- when it was done
    why       text not null,                     -- the reason, in words
    sources   text not null default '[]',        -- JSON: the ids of the memories that it was made from
    before    text,                              -- JSON: the rows before the change; null: nothing to restore
    undone_at text                               -- when it was undone
);
create index maintenance_memory on maintenance(memory_id);
create index maintenance_run on maintenance(run, key);

create table pruned (                            -- a memory that was pruned, and can be restored for a while
    memory_id  text primary key,                 -- its id
    rows       text not null,                    -- JSON: its row and all rows that referred to it, by table
    why        text not null,                    -- the reason, in words
    pruned_at  text not null,                    -- when it was pruned
    kept_until text not null                     -- until when it can be restored
) without rowid;
create index pruned_kept on pruned(kept_until);

create table proposals (                         -- a proposal that a person should accept or refuse
    key        integer primary key,              -- the row
    id         text not null unique,             -- the id that people see
    kind       text not null check (kind in ('merge', 'contradiction')),  -- what is proposed; a merge of one memory is a value of a slot
    members    text not null,                    -- JSON: the ids of its memories, sorted
    text       text not null default '',         -- the text that they would become
    why        text not null default '',         -- the reason, in words
    state      text not null default 'open' check (state in ('open', 'accepted', 'refused')),  -- what was decided
    created_at text not null,                    -- when it was first proposed
    decided_at text,                             -- when it was decided
    unique (kind, members)
);
create index proposals_state on proposals(state, key);

create table feedback (                          -- whether a hit was useful
    key        integer primary key,              -- the row
    memory_key integer not null references memories(key) on delete cascade,  -- the memory
    question   text not null default '',         -- the question
    useful     integer not null check (useful in (0, 1)),  -- 1: useful, 0: not useful
    at         text not null                     -- when the feedback was given
);
create index feedback_memory on feedback(memory_key);

-- A file that is older than this index does not have it yet.
create index if not exists memories_hidden on memories(key)
    where archived_at is not null or valid_from is not null or valid_until is not null or expires_at is not null;

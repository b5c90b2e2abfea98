-- What memories said before they were edited: it stays history, and goes with them when they are forgotten for good.

-- ------------------------------------------------------------------------------------------ before edits

create table former (                            -- something that a memory said before it was edited
    key          integer primary key,            -- the row
    memory_key   integer not null references memories(key) on delete cascade,  -- the memory
    relation_key integer references relations(key) on delete cascade,  -- a relation that it vouched for, or
    entity_key   integer references entities(key) on delete cascade,   -- an entity that it named, or
    word         text                            -- a word, as word_cases has it
);
create unique index former_said on former(
    memory_key, coalesce(relation_key, 0), coalesce(entity_key, 0), coalesce(word, '')
);
create index former_relation on former(relation_key) where relation_key is not null;
create index former_entity on former(entity_key) where entity_key is not null;

-- Relations, entities and words of memories before an edit: kept as history, and deleted together with the memory.

-- ------------------------------------------------------------------------------------------ before edits

create table former (                            -- a relation, entity or word of a memory before an edit
    key          integer primary key,            -- the row
    memory_key   integer not null references memories(key) on delete cascade,  -- the memory
    relation_key integer references relations(key) on delete cascade,  -- a relation that it was evidence for, or null
    entity_key   integer references entities(key) on delete cascade,   -- an entity that it named, or null
    word         text                            -- a word of the table word_cases, or null
);
create unique index former_said on former(
    memory_key, coalesce(relation_key, 0), coalesce(entity_key, 0), coalesce(word, '')
);
create index former_relation on former(relation_key) where relation_key is not null;
create index former_entity on former(entity_key) where entity_key is not null;

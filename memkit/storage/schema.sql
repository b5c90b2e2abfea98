-- The database of memkit: memories, the graph between them, and the indexes that find them.
-- Times are ISO 8601 text in UTC. `key` is the number of a row; `id` is a text that people see and that never changes.

-- ------------------------------------------------------------------------------------------ documents and memories

create table documents (                         -- a thing with a source: a note, a chat, a notebook, a table
    key         integer primary key,             -- the row
    id          text not null unique,            -- the id that people see
    source      text not null unique,            -- a path or a URI, which identifies the document
    kind        text not null default 'note',    -- note, chat, log, notebook, table ...
    title       text,                            -- its title
    hash        text,                            -- a hash of its content; it changes when the source changes
    project     text not null default 'global',  -- the project of its memories that name none themselves
    created_at  text,                            -- when it was made, as its source says
    updated_at  text,                            -- when it was last changed, as its source says
    archived_at text,                            -- when it was found to have vanished from its source
    meta        text not null default '{}'       -- JSON: fields, aliases and tags of the whole document
);

create table memories (                          -- the unit that is recalled: a passage, a turn, a fact
    key          integer primary key autoincrement,  -- the row; never used again for another memory
    id           text not null unique,           -- the id that people see
    document_key integer references documents(key) on delete set null,  -- the document that it is part of
    position     integer,                        -- order in its document; null where order means nothing
    source_id    text,                           -- the id that its source gave it; parts of one row share it
    kind         text not null default 'passage',  -- passage, turn, fact, preference, procedure, observation, episode ...
    text         text not null,                  -- the text that is recalled
    title        text,                           -- the title of its note or chat
    speaker      text,                           -- who said it
    category     text,                           -- a category that its author chose
    tags         text not null default '[]',     -- JSON: a list of texts
    project      text not null default 'global', -- its project; global is recalled in every project
    slot         text,                           -- user, project or agent
    slot_key     text,                           -- one current value per slot, project and key
    importance   real not null default 5,        -- 1 to 10
    confidence   real not null default 1,        -- 0 to 1
    happened_at  text,                           -- when it happened in the world
    created_at   text not null,                  -- when it was stored in this database
    updated_at   text not null,                  -- when its text was last changed in this database
    valid_from   text,                           -- since when it is true in the world
    valid_until  text,                           -- until when it is true in the world
    expires_at   text,                           -- from when on recall hides it, and upkeep may prune it
    archived_at  text,                           -- since when it is hidden from recall; meta says why
    compression  text not null default 'raw',    -- raw, compressed or distilled
    tokens       integer not null default 0,     -- its length in tokens of a language model, estimated
    hash         text not null,                  -- a hash of all its fields from the source
    text_hash    text,                           -- a hash of its text only
    meta         text not null default '{}'      -- JSON: further fields
);
create index memories_document on memories(document_key, position);
create index memories_source on memories(source_id);
create index memories_text on memories(document_key, text_hash) where source_id is null;
create index memories_project on memories(project, kind);
create index memories_in_slot on memories(slot) where slot is not null;
-- Only the memories in this small index can be hidden: most are not in it, and need no further check.
create index memories_hidden on memories(key)
    where archived_at is not null or valid_from is not null or valid_until is not null or expires_at is not null;
create index memories_time on memories(coalesce(happened_at, created_at));
create unique index memories_slot on memories(slot, project, slot_key)
    where slot is not null and slot_key is not null and valid_until is null and archived_at is null;

create table access (                            -- how often memories were recalled; apart: a recall rewrites no memory
    memory_key integer primary key references memories(key) on delete cascade,  -- the memory
    count      integer not null default 0,       -- how often it was recalled
    last_at    text                              -- when it was last recalled
);

-- ------------------------------------------------------------------------------------------ full text

-- The texts to index for a memory: its own words alone. A memory is also found by the words of two neighbours before and
-- after it in its document; recall adds these when it is asked. A deleted memory may leave an empty row; it is not
-- indexed, because it would change the mean length that BM25 compares with.
create view memories_indexed as
select
    m.key, m.text, coalesce(m.title, '') as title, coalesce(m.speaker, '') as speaker,
    trim(replace(replace(replace(m.tags, '"', ' '), '[', ' '), ']', ' ')) || ' ' || coalesce(m.slot_key, '') as tags
from memories as m
where m.archived_at is null or m.text <> '';

-- The full-text index of words, stemmed and without accents; one row for each memory. Datasette and sqlite-utils find
-- the index of a table by the words content="memories" in its declaration, which FTS5 itself does not read there.
create virtual table memories_fts using fts5(
    text, title, speaker, tags, tokenize = 'porter unicode61 remove_diacritics 2' /* content="memories" */
);

-- Texts in scripts without spaces (CJK): each pair of characters, the words between them, and the single characters.
-- memkit.text.words (`bigrams` and `characters`) does the same.
create view memories_bigrams as
select
    i.key,
    (
        select group_concat(
            case
                when substr(i.text, at.key + 1, 1) not glob '[㐀-䶿一-鿿豈-﫿𠀀-𱍏々〇ぁ-ゖゝゞァ-ヺー-ヿㇰ-ㇿ가-힣ᄀ-ᇿ]' then substr(i.text, at.key + 1, 1) || iif(
                    at.key < 9999 and ((substr(i.text, at.key + 1, 1) glob '[0-9]' and substr(i.text, at.key + 2, 1) glob '[A-Za-z]')
                    or (substr(i.text, at.key + 1, 1) glob '[A-Za-z]' and substr(i.text, at.key + 2, 1) glob '[0-9]')), ' ', ''
                )
                when at.key < 9999 and substr(i.text, at.key + 2, 1) glob '[㐀-䶿一-鿿豈-﫿𠀀-𱍏々〇ぁ-ゖゝゞァ-ヺー-ヿㇰ-ㇿ가-힣ᄀ-ᇿ]' then ' ' || substr(i.text, at.key + 1, 2) || ' '
                when at.key = 0 or substr(i.text, at.key + 0, 1) not glob '[㐀-䶿一-鿿豈-﫿𠀀-𱍏々〇ぁ-ゖゝゞァ-ヺー-ヿㇰ-ㇿ가-힣ᄀ-ᇿ]' then ' '
                else ''
            end, ''
        )
        from json_each('[' || rtrim(replace(hex(zeroblob(min(length(i.text), 10000))), '00', '0,'), ',') || ']') as at
    ) as text,
    (
        select group_concat(
            case
                when substr(i.title, at.key + 1, 1) not glob '[㐀-䶿一-鿿豈-﫿𠀀-𱍏々〇ぁ-ゖゝゞァ-ヺー-ヿㇰ-ㇿ가-힣ᄀ-ᇿ]' then substr(i.title, at.key + 1, 1) || iif(
                    at.key < 9999 and ((substr(i.title, at.key + 1, 1) glob '[0-9]' and substr(i.title, at.key + 2, 1) glob '[A-Za-z]')
                    or (substr(i.title, at.key + 1, 1) glob '[A-Za-z]' and substr(i.title, at.key + 2, 1) glob '[0-9]')), ' ', ''
                )
                when at.key < 9999 and substr(i.title, at.key + 2, 1) glob '[㐀-䶿一-鿿豈-﫿𠀀-𱍏々〇ぁ-ゖゝゞァ-ヺー-ヿㇰ-ㇿ가-힣ᄀ-ᇿ]' then ' ' || substr(i.title, at.key + 1, 2) || ' '
                when at.key = 0 or substr(i.title, at.key + 0, 1) not glob '[㐀-䶿一-鿿豈-﫿𠀀-𱍏々〇ぁ-ゖゝゞァ-ヺー-ヿㇰ-ㇿ가-힣ᄀ-ᇿ]' then ' '
                else ''
            end, ''
        )
        from json_each('[' || rtrim(replace(hex(zeroblob(min(length(i.title), 10000))), '00', '0,'), ',') || ']') as at
    ) as title,
    (
        select group_concat(substr(i.text, at.key + 1, 1), ' ')
        from json_each('[' || rtrim(replace(hex(zeroblob(min(length(i.text), 10000))), '00', '0,'), ',') || ']') as at
        where substr(i.text, at.key + 1, 1) glob '[㐀-䶿一-鿿豈-﫿𠀀-𱍏々〇ぁ-ゖゝゞァ-ヺー-ヿㇰ-ㇿ가-힣ᄀ-ᇿ]'
    ) as characters
from memories_indexed as i
where i.text glob '*[㐀-䶿一-鿿豈-﫿𠀀-𱍏々〇ぁ-ゖゝゞァ-ヺー-ヿㇰ-ㇿ가-힣ᄀ-ᇿ]*' or i.title glob '*[㐀-䶿一-鿿豈-﫿𠀀-𱍏々〇ぁ-ゖゝゞァ-ヺー-ヿㇰ-ㇿ가-힣ᄀ-ᇿ]*';

-- The full-text index of CJK characters and their pairs; one row for each memory that has any.
create virtual table memories_cjk using fts5(
    text, title, characters, tokenize = 'unicode61 remove_diacritics 0'
);

-- While it has a row, the triggers are off: the program that writes memories writes the index itself, many at a time.
create table index_paused (
    reason text not null                         -- why the triggers are off
);

-- INSERT OR REPLACE deletes rows without firing delete triggers, unless recursive_triggers is on. So the rows that it
-- may delete are stored here before, and checked after.
create table index_replaced (
    key integer not null                         -- a memory that may be deleted
);

create trigger memories_index_replace before insert on memories
when not exists (select 1 from index_paused) begin
    delete from index_replaced;
    insert into index_replaced (key)
    select m.key from memories as m
    where m.key = new.key
        or m.id = new.id
        or (m.slot = new.slot and m.project = new.project and m.slot_key = new.slot_key
            and m.valid_until is null and m.archived_at is null);
end;

create trigger memories_index_insert after insert on memories
when not exists (select 1 from index_paused) begin
    delete from embeddings where memory_key = new.key;
    insert into index_stale(key) select key from index_replaced union select new.key;
    delete from index_replaced;
end;

create trigger memories_index_delete after delete on memories
when not exists (select 1 from index_paused) begin
    insert into index_stale(key) values (old.key);
end;

-- A new place in a document changes no word of the row, but by whose words else it is found: readers see that the index
-- has changed.
create trigger memories_index_update
after update of key, text, title, speaker, tags, slot_key, document_key, position on memories
when not exists (select 1 from index_paused) begin
    delete from embeddings
    where memory_key = new.key and (old.text, old.title, old.speaker) is not (new.text, new.title, new.speaker);
    insert into index_stale(key) select old.key union select new.key;
end;

-- Inserting a key here indexes that memory again, at once; nothing is stored.
create view index_stale as select key from memories;
create trigger index_stale_insert instead of insert on index_stale begin
    delete from memories_fts where rowid = new.key;
    delete from memories_cjk where rowid = new.key;
    insert into memories_fts(rowid, text, title, speaker, tags)
    select key, text, title, speaker, tags from memories_indexed where key = new.key;
    insert into memories_cjk(rowid, text, title, characters)
    select key, coalesce(text, ''), coalesce(title, ''), coalesce(characters, '')
    from memories_bigrams where key = new.key;
end;

-- ------------------------------------------------------------------------------------------ vectors

create table models (                            -- an embedding model that made vectors in this database
    key        integer primary key,              -- the row
    id         text not null,                    -- its name, by which it is loaded
    version    text not null,                    -- changes when its vectors change
    dims       integer not null,                 -- the number of dimensions of a vector
    active     integer not null default 0,       -- 1: questions are embedded with it
    created_at text not null,                    -- when it was first used here
    unique (id, version)
);
create unique index models_active on models(active) where active = 1;

create table embeddings (                        -- the vectors; a new one gets a higher key, so that readers find it
    key        integer primary key autoincrement,  -- higher for a newer vector
    memory_key integer not null references memories(key) on delete cascade,  -- the memory
    model_key  integer not null references models(key) on delete cascade,  -- the model that made it
    vector     blob not null,                    -- float32, little-endian, length 1
    code       blob not null,                    -- the binary code: the sign of each component, eight to a byte
    unique (memory_key, model_key)
);
create index embeddings_model on embeddings(model_key, key, memory_key, code);  -- the codes are read without the vectors

create table entity_embeddings (                 -- the vectors of entities, made of "name: description"
    entity_key integer not null references entities(key) on delete cascade,  -- the entity
    model_key  integer not null references models(key) on delete cascade,  -- the model that made it
    vector     blob not null,                    -- float32, little-endian, length 1
    primary key (entity_key, model_key)
) without rowid;

-- ------------------------------------------------------------------------------------------ the graph

create table entities (                          -- whom or what memories name: a person, a place, a thing
    key         integer primary key,             -- the row
    id          text not null unique,            -- the id that people see
    name        text not null,                   -- the name that is shown
    normal      text not null,                   -- the name for comparing: lower case, no accents, no punctuation
    kind        text not null default 'thing',   -- person, place, thing ...; concept: a common noun; value: a date ...
    description text,                            -- what it is, in a sentence
    merged_into integer references entities(key) on delete set null,  -- the entity that it was merged into
    created_at  text not null,                   -- when the row was written
    updated_at  text not null,                   -- when something about it last changed
    meta        text not null default '{}'       -- JSON: further fields
);
create index entities_normal on entities(normal);
create index entities_merged on entities(merged_into) where merged_into is not null;

create table aliases (                           -- a name of an entity
    key        integer primary key,              -- the row
    entity_key integer not null references entities(key) on delete cascade,  -- the entity
    alias      text not null,                    -- the name as it is written
    normal     text not null,                    -- the name for comparing
    source     text not null default 'given',    -- title, alias, file, wikilink, speaker, text ...; bare: without (...)
    unique (entity_key, normal)
);
create index aliases_normal on aliases(normal);

create table mentions (                          -- a name of an entity in a memory
    key        integer primary key,              -- the row
    memory_key integer not null references memories(key) on delete cascade,  -- the memory
    entity_key integer not null references entities(key) on delete cascade,  -- the entity
    role       text not null default 'text',     -- text, title, speaker, wikilink, relation
    surface    text not null default '',         -- the name as it is written there
    start      integer,                          -- where the first one begins, in characters
    count      integer not null default 1,       -- how often the memory names it
    confidence real not null default 1,          -- 0 to 1; lower if several entities have this name
    unique (memory_key, entity_key, role)
);
create index mentions_entity on mentions(entity_key, memory_key);

create table relations (                         -- subject - predicate - object; bi-temporal: old states are kept
    key         integer primary key,             -- the row
    id          text not null unique,            -- the id that people see
    subject_key integer not null references entities(key) on delete cascade,  -- the entity that it is about
    predicate   text not null,                   -- lives_in, works_at, introduced ...
    object_key  integer not null references entities(key) on delete cascade,  -- the other entity, its value
    confidence  real not null default 1,         -- 0 to 1
    valid_from  text,                            -- since when it is true in the world
    valid_until text,                            -- until when it is true in the world
    created_at  text not null,                   -- since when this database says so
    expired_at  text,                            -- until when this database said so; null: it still does
    superseded_by integer references relations(key) on delete set null,  -- the relation that replaced it
    method      text not null default 'given'    -- pattern, hearsay, doubt, field, folder, wikilink, slot, model, given, hand
);
create index relations_subject on relations(subject_key, predicate);
create index relations_object on relations(object_key);

create table evidence (                          -- which memory states a relation, in which words
    key          integer primary key,            -- the row
    relation_key integer not null references relations(key) on delete cascade,  -- the relation
    memory_key   integer references memories(key) on delete cascade,    -- the memory; null: stated by hand
    quote        text not null default '',       -- the words
    method       text not null default 'given',  -- how it was found: pattern, field, folder, wikilink, slot, model ...
    confidence   real not null default 1,        -- 0 to 1
    valid_from   text,                           -- since when it is true, as this source says
    valid_until  text,                           -- until when it is true, as this source says
    said_at      text not null,                  -- when it was stated: orders values without times of their own
    created_at   text not null                   -- when the row was written
);
create index evidence_relation on evidence(relation_key);
create index evidence_memory on evidence(memory_key);

create table conflicts (                         -- two relations that cannot both be true; both are shown
    relation_key integer not null references relations(key) on delete cascade,  -- the one relation
    other_key    integer not null references relations(key) on delete cascade,  -- the other relation
    created_at   text not null,                  -- when the row was written
    primary key (relation_key, other_key)
) without rowid;

create table links (                             -- a link from one memory to another
    key        integer primary key,              -- the row
    from_key   integer not null references memories(key) on delete cascade,  -- the memory at its start
    to_key     integer not null references memories(key) on delete cascade,  -- the memory at its end
    type       text not null check (             -- the type: the first memory is part of the second, supersedes it ...
        type in ('part_of', 'supersedes', 'contradicts', 'relates_to', 'derived_from', 'summarized_by')
    ),
    weight     real not null default 1,          -- 0 to 1: how much it counts
    why        text not null default '',         -- the reason, in words
    created_at text not null,                    -- when the row was written
    unique (from_key, to_key, type)
);
create index links_to on links(to_key, type);

create table merges (                            -- the rows that a merge changed, so that it can be undone exactly
    key         integer primary key,             -- the row
    kept_key    integer not null references entities(key) on delete cascade,  -- the entity that remains
    merged_key  integer not null references entities(key) on delete cascade,  -- the entity that was merged into it
    moved       text not null,                   -- JSON: the rows before the merge
    created_at  text not null                    -- when the row was written
);

create table fingerprints (                      -- MinHash bands of memories: near-duplicates share one or more
    band       integer not null,                 -- a hash of some words of the text
    memory_key integer not null references memories(key) on delete cascade,  -- the memory
    primary key (band, memory_key)
) without rowid;
create index fingerprints_memory on fingerprints(memory_key);

create table word_cases (                        -- whether this database writes a word with a capital inside sentences
    word  text primary key,                      -- the word in lower case
    lower integer not null default 0,            -- how often it is written in lower case
    upper integer not null default 0             -- how often it is written with a capital
) without rowid;

create table extractions (                       -- which memories an extractor has read, and which text of them
    memory_key integer not null references memories(key) on delete cascade,  -- the memory
    extractor  text not null,                    -- the name of the extractor
    hash       text not null,                    -- a hash of the memory when it was read
    at         text not null,                    -- when it was read
    error      text,                             -- why it failed; null: it did not
    primary key (memory_key, extractor)
) without rowid;

-- ------------------------------------------------------------------------------------------ the ledger of recalls

create table recalls (                           -- a recall with `ledger`
    key      integer primary key,                -- the row
    id       text not null unique,               -- the id that people see
    question text not null,                      -- the text of the question
    strategy text not null,                      -- JSON: the strategy
    options  text not null default '{}',         -- JSON: k and the filters
    channels text not null default '{}',         -- JSON: the channels, and why one did not run
    ms       real,                               -- how many milliseconds it took
    at       text not null                       -- when the question was asked
);

create table recall_hits (                       -- a candidate of a recall, as one channel ranked it
    recall_key   integer not null references recalls(key) on delete cascade,  -- the recall
    memory_key   integer not null references memories(key) on delete cascade,  -- the candidate
    rank         integer,                        -- its rank in the result; null: left out
    score        real not null,                  -- its fused score
    channel      text not null,                  -- the channel; one row for each channel that found it
    channel_rank integer not null,               -- its rank in that channel
    raw          real not null,                  -- that channel's own score
    contribution real not null,                  -- how much the channel added to the fused score
    boosts       text not null default '{}',     -- JSON: the boosts
    tokens       integer not null default 0,     -- its length in tokens
    left_out     text,                           -- why it was left out
    primary key (recall_key, memory_key, channel)
) without rowid;
create index recall_hits_memory on recall_hits(memory_key);

create table settings (                          -- the settings of this database
    name  text primary key,                      -- the name of the setting
    value text not null                          -- JSON: its value
) without rowid;
insert into settings (name, value) values ('database', json_quote(lower(hex(randomblob(8)))));  -- identifies this file

-- ------------------------------------------------------------------------------------------ shared words

create view current_memories as
select
    m.*, d.source as document_source, d.title as document_title
from memories as m left join documents as d on d.key = m.document_key
where m.archived_at is null
    and (m.valid_until is null or m.valid_until > strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
    and (m.expires_at is null or m.expires_at > strftime('%Y-%m-%dT%H:%M:%SZ', 'now'));

create view current_relations as
select
    r.key, r.id, s.name as subject, r.predicate, o.name as object, r.confidence, r.valid_from, r.valid_until,
    r.method, s.id as subject_id, o.id as object_id
from relations as r
    join entities as s on s.key = r.subject_key
    join entities as o on o.key = r.object_key
where r.expired_at is null
    and (r.valid_until is null or r.valid_until > strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
    and (r.valid_from is null or r.valid_from <= strftime('%Y-%m-%dT%H:%M:%SZ', 'now'));

create view memory_entities as
select
    m.key as memory_key, m.id as memory_id, e.key as entity_key, e.id as entity_id, e.name, e.kind,
    x.role, x.surface, x.start, x.count, x.confidence
from mentions as x
    join memories as m on m.key = x.memory_key
    join entities as e on e.key = x.entity_key
where e.merged_into is null;

create view graph_edges as
select 'relation' as type, s.id as source, r.predicate as label, o.id as target, r.confidence as weight
from relations as r
    join entities as s on s.key = r.subject_key
    join entities as o on o.key = r.object_key
where r.expired_at is null
union all
select 'mention', m.id, x.role, e.id, x.confidence
from mentions as x
    join memories as m on m.key = x.memory_key
    join entities as e on e.key = x.entity_key
union all
select 'link', a.id, l.type, b.id, l.weight
from links as l
    join memories as a on a.key = l.from_key
    join memories as b on b.key = l.to_key;

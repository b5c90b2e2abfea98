-- The database of memkit: memories, the graph between them, and the indexes that find them.
-- Times are ISO 8601 UTC text. `key` is a row, `id` is what people see and keep.

-- ------------------------------------------------------------------------------------------ documents and memories

create table documents (                         -- a thing with a source: a note, a chat, a notebook, a table
    key         integer primary key,             -- the row
    id          text not null unique,            -- what people see and keep
    source      text not null unique,            -- a path or a uri: the document's identity
    kind        text not null default 'note',    -- note, chat, log, notebook, table ...
    title       text,                            -- what it is called
    hash        text,                            -- of what was read; another one once its source has changed
    project     text not null default 'global',  -- that its memories belong to, unless they say otherwise
    created_at  text,                            -- when it was begun, as its source says
    updated_at  text,                            -- when it was last changed, as its source says
    archived_at text,                            -- vanished from its source
    meta        text not null default '{}'       -- JSON: fields, aliases and tags that a person wrote about the whole
);

create table memories (                          -- the unit that is recalled: a passage, a turn, a fact
    key          integer primary key autoincrement,  -- never given twice: what points to a deleted memory finds nothing
    id           text not null unique,           -- what people see and keep
    document_key integer references documents(key) on delete set null,  -- the document that it is part of
    position     integer,                        -- order in its document; null where order means nothing
    source_id    text,                           -- the id its source gave it; parts of one row share it
    kind         text not null default 'passage',  -- passage, turn, fact, preference, procedure, observation, episode ...
    text         text not null,                  -- what is recalled
    title        text,                           -- what it is about: its note, its chat
    speaker      text,                           -- who said it
    category     text,                           -- a word of its author's own
    tags         text not null default '[]',     -- JSON
    project      text not null default 'global', -- what it belongs to; global is eligible everywhere
    slot         text,                           -- user, project or agent
    slot_key     text,                           -- one current value per slot, project and key
    importance   real not null default 5,        -- 1 to 10
    confidence   real not null default 1,        -- 0 to 1
    happened_at  text,                           -- when it happened in the world
    created_at   text not null,                  -- when it became known here
    updated_at   text not null,                  -- when its text was last changed here
    valid_from   text,                           -- true in the world from here
    valid_until  text,                           -- and until here
    expires_at   text,                           -- when it may be forgotten
    archived_at  text,                           -- since when recall passes it over; meta says why
    compression  text not null default 'raw',    -- raw, compressed or distilled
    tokens       integer not null default 0,     -- about how long it is for a language model
    hash         text not null,                  -- of everything that its source says of it
    text_hash    text,                           -- of its text alone
    meta         text not null default '{}'      -- JSON
);
create index memories_document on memories(document_key, position);
create index memories_source on memories(source_id);
create index memories_text on memories(document_key, text_hash) where source_id is null;
create index memories_project on memories(project, kind);
create index memories_in_slot on memories(slot) where slot is not null;
-- Of most memories one need not look further to know that they are not hidden.
create index memories_hidden on memories(key)
    where archived_at is not null or valid_from is not null or valid_until is not null or expires_at is not null;
create index memories_time on memories(coalesce(happened_at, created_at));
create unique index memories_slot on memories(slot, project, slot_key)
    where slot is not null and slot_key is not null and valid_until is null and archived_at is null;

create table access (                            -- apart from memories: reading never rewrites a memory
    memory_key integer primary key references memories(key) on delete cascade,  -- the memory
    count      integer not null default 0,       -- how often it was recalled
    last_at    text                              -- and when last
);

-- ------------------------------------------------------------------------------------------ full text

-- What the index sees of a memory: itself, and two neighbours before and after it in its document. Of one that went only
-- the empty row is left: counted, it would make all others look longer than they are (BM25 compares with the mean).
create view memories_indexed as
select
    m.key, m.text, coalesce(m.title, '') as title, coalesce(m.speaker, '') as speaker,
    trim(replace(replace(replace(m.tags, '"', ' '), '[', ' '), ']', ' ')) || ' ' || coalesce(m.slot_key, '') as tags,
    coalesce((
        select group_concat(substr(n.text, 1, 600), char(10))
        from memories as n
        where n.document_key = m.document_key
            and n.position between m.position - 2 and m.position + 2
            and n.key <> m.key
    ), '') as context
from memories as m
where m.archived_at is null or m.text <> '';

-- The index of words, stemmed, without accents; one row a memory.
create virtual table memories_fts using fts5(
    text, title, speaker, tags, context, tokenize = 'porter unicode61 remove_diacritics 2'
);

-- Scripts without spaces: each character with the next one, the words between them, and the characters one by one
-- (text.bigrams and text.characters do the same).
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
        select group_concat(
            case
                when substr(i.context, at.key + 1, 1) not glob '[㐀-䶿一-鿿豈-﫿𠀀-𱍏々〇ぁ-ゖゝゞァ-ヺー-ヿㇰ-ㇿ가-힣ᄀ-ᇿ]' then substr(i.context, at.key + 1, 1) || iif(
                    at.key < 9999 and ((substr(i.context, at.key + 1, 1) glob '[0-9]' and substr(i.context, at.key + 2, 1) glob '[A-Za-z]')
                    or (substr(i.context, at.key + 1, 1) glob '[A-Za-z]' and substr(i.context, at.key + 2, 1) glob '[0-9]')), ' ', ''
                )
                when at.key < 9999 and substr(i.context, at.key + 2, 1) glob '[㐀-䶿一-鿿豈-﫿𠀀-𱍏々〇ぁ-ゖゝゞァ-ヺー-ヿㇰ-ㇿ가-힣ᄀ-ᇿ]' then ' ' || substr(i.context, at.key + 1, 2) || ' '
                when at.key = 0 or substr(i.context, at.key + 0, 1) not glob '[㐀-䶿一-鿿豈-﫿𠀀-𱍏々〇ぁ-ゖゝゞァ-ヺー-ヿㇰ-ㇿ가-힣ᄀ-ᇿ]' then ' '
                else ''
            end, ''
        )
        from json_each('[' || rtrim(replace(hex(zeroblob(min(length(i.context), 10000))), '00', '0,'), ',') || ']') as at
    ) as context,
    (
        select group_concat(substr(i.text, at.key + 1, 1), ' ')
        from json_each('[' || rtrim(replace(hex(zeroblob(min(length(i.text), 10000))), '00', '0,'), ',') || ']') as at
        where substr(i.text, at.key + 1, 1) glob '[㐀-䶿一-鿿豈-﫿𠀀-𱍏々〇ぁ-ゖゝゞァ-ヺー-ヿㇰ-ㇿ가-힣ᄀ-ᇿ]'
    ) as characters
from memories_indexed as i
where i.text glob '*[㐀-䶿一-鿿豈-﫿𠀀-𱍏々〇ぁ-ゖゝゞァ-ヺー-ヿㇰ-ㇿ가-힣ᄀ-ᇿ]*' or i.title glob '*[㐀-䶿一-鿿豈-﫿𠀀-𱍏々〇ぁ-ゖゝゞァ-ヺー-ヿㇰ-ㇿ가-힣ᄀ-ᇿ]*' or i.context glob '*[㐀-䶿一-鿿豈-﫿𠀀-𱍏々〇ぁ-ゖゝゞァ-ヺー-ヿㇰ-ㇿ가-힣ᄀ-ᇿ]*';

-- The index of characters and pairs of them; one row a memory that has any.
create virtual table memories_cjk using fts5(
    text, title, context, characters, tokenize = 'unicode61 remove_diacritics 0'
);

-- A row here means: whoever writes memories also writes the index, in the same transaction, many at a time.
create table index_paused (
    reason text not null                         -- why the triggers rest
);

-- INSERT OR REPLACE removes rows without firing delete triggers, unless recursive_triggers is on: what it may remove is
-- noted before, and looked at again after.
create table index_replaced (
    key          integer not null,               -- a memory that may be about to go
    document_key integer,                        -- the document that it is part of
    position     integer                         -- its place there
);

create trigger memories_index_replace before insert on memories
when not exists (select 1 from index_paused) begin
    delete from index_replaced;
    insert into index_replaced (key, document_key, position)
    select m.key, m.document_key, m.position from memories as m
    where m.key = new.key
        or m.id = new.id
        or (m.slot = new.slot and m.project = new.project and m.slot_key = new.slot_key
            and m.valid_until is null and m.archived_at is null);
end;

create trigger memories_index_insert after insert on memories
when not exists (select 1 from index_paused) begin
    delete from embeddings where memory_key = new.key;
    insert into index_stale(key)
    select r.key from index_replaced as r
    union
    select m.key
    from index_replaced as r
        join memories as m on m.document_key = r.document_key and m.position between r.position - 2 and r.position + 2
    union
    select m.key from memories as m
    where m.key = new.key
        or (m.document_key = new.document_key and m.position between new.position - 2 and new.position + 2);
    delete from index_replaced;
end;

create trigger memories_index_delete after delete on memories
when not exists (select 1 from index_paused) begin
    insert into index_stale(key) values (old.key);
    insert into index_stale(key)
    select m.key from memories as m
    where m.document_key = old.document_key and m.position between old.position - 2 and old.position + 2;
end;

create trigger memories_index_update
after update of key, text, title, speaker, tags, slot_key, document_key, position on memories
when not exists (select 1 from index_paused) begin
    delete from embeddings
    where memory_key = new.key and (old.text, old.title, old.speaker) is not (new.text, new.title, new.speaker);
    insert into index_stale(key)
    select old.key
    union
    select m.key from memories as m
    where m.key = new.key
        or (m.document_key = old.document_key and m.position between old.position - 2 and old.position + 2)
        or (m.document_key = new.document_key and m.position between new.position - 2 and new.position + 2);
end;

-- To write a key here is to have that memory indexed anew, at once: nothing is kept.
create view index_stale as select key from memories;
create trigger index_stale_insert instead of insert on index_stale begin
    delete from memories_fts where rowid = new.key;
    delete from memories_cjk where rowid = new.key;
    insert into memories_fts(rowid, text, title, speaker, tags, context)
    select key, text, title, speaker, tags, context from memories_indexed where key = new.key;
    insert into memories_cjk(rowid, text, title, context, characters)
    select key, coalesce(text, ''), coalesce(title, ''), coalesce(context, ''), coalesce(characters, '')
    from memories_bigrams where key = new.key;
end;

-- ------------------------------------------------------------------------------------------ vectors

create table models (                            -- an embedding model that made vectors in here
    key        integer primary key,              -- the row
    id         text not null,                    -- its name, which loads it again
    version    text not null,                    -- changes when its vectors change
    dims       integer not null,                 -- how many numbers a vector has
    active     integer not null default 0,       -- the one that questions are embedded with
    created_at text not null,                    -- when it was first used here
    unique (id, version)
);
create unique index models_active on models(active) where active = 1;

create table embeddings (                        -- a new vector is a new row with a higher key: readers follow the key
    key        integer primary key autoincrement,  -- higher for a newer vector
    memory_key integer not null references memories(key) on delete cascade,  -- the memory
    model_key  integer not null references models(key) on delete cascade,  -- the model that made it
    vector     blob not null,                    -- float32, little-endian, length 1
    code       blob not null,                    -- the sign of each component, eight to a byte
    unique (memory_key, model_key)
);
create index embeddings_model on embeddings(model_key, key, memory_key, code);  -- the codes are read without the vectors

create table entity_embeddings (                 -- of "name: description"
    entity_key integer not null references entities(key) on delete cascade,  -- the entity
    model_key  integer not null references models(key) on delete cascade,  -- the model that made it
    vector     blob not null,                    -- float32, little-endian, length 1
    primary key (entity_key, model_key)
) without rowid;

-- ------------------------------------------------------------------------------------------ the graph

create table entities (                          -- who and what is named: a person, a place, a thing
    key         integer primary key,             -- the row
    id          text not null unique,            -- what people see and keep
    name        text not null,                   -- as it is shown
    normal      text not null,                   -- the name as it is compared: folded, no punctuation
    kind        text not null default 'thing',   -- person, place, thing, ...; concept and value are no names
    description text,                            -- what it is, in a sentence
    merged_into integer references entities(key) on delete set null,  -- the entity that it turned out to be
    created_at  text not null,                   -- when it was written here
    updated_at  text not null,                   -- when something about it changed
    meta        text not null default '{}'       -- JSON: whatever else is known
);
create index entities_normal on entities(normal);
create index entities_merged on entities(merged_into) where merged_into is not null;

create table aliases (                           -- a name of an entity
    key        integer primary key,              -- the row
    entity_key integer not null references entities(key) on delete cascade,  -- the entity
    alias      text not null,                    -- the name as it is written
    normal     text not null,                    -- the name as it is compared
    source     text not null default 'given',    -- title, alias, wikilink, speaker, text, model ...; bare: without (...)
    unique (entity_key, normal)
);
create index aliases_normal on aliases(normal);

create table mentions (                          -- a memory names an entity
    key        integer primary key,              -- the row
    memory_key integer not null references memories(key) on delete cascade,  -- the memory
    entity_key integer not null references entities(key) on delete cascade,  -- the entity
    role       text not null default 'text',     -- text, title, speaker, wikilink, relation
    surface    text not null default '',         -- as it is written there
    start      integer,                          -- where, in characters
    count      integer not null default 1,       -- how often
    confidence real not null default 1,          -- 0 to 1: less where several bear the name
    unique (memory_key, entity_key, role)
);
create index mentions_entity on mentions(entity_key, memory_key);

create table relations (                         -- bi-temporal: nothing is overwritten, the old row is closed
    key         integer primary key,             -- the row
    id          text not null unique,            -- what people see and keep
    subject_key integer not null references entities(key) on delete cascade,  -- the entity that it is said of
    predicate   text not null,                   -- lives_in, works_at, introduced ...
    object_key  integer not null references entities(key) on delete cascade,  -- the entity that is said
    confidence  real not null default 1,         -- 0 to 1
    valid_from  text,                            -- true in the world
    valid_until text,                            -- until then
    created_at  text not null,                   -- known to us
    expired_at  text,                            -- until when we held it to be so
    superseded_by integer references relations(key) on delete set null,  -- the relation that took its place
    method      text not null default 'given'    -- pattern, field, wikilink, slot, model, given, hand
);
create index relations_subject on relations(subject_key, predicate);
create index relations_object on relations(object_key);

create table evidence (                          -- who says so, in which words; a relation's row follows from these
    key          integer primary key,            -- the row
    relation_key integer not null references relations(key) on delete cascade,  -- the relation
    memory_key   integer references memories(key) on delete cascade,    -- null: said by hand, in no memory
    quote        text not null default '',       -- the words
    method       text not null default 'given',  -- how they were read
    confidence   real not null default 1,        -- 0 to 1
    valid_from   text,                           -- as this source says it
    valid_until  text,                           -- until then, as this source says it
    said_at      text not null,                  -- when it was said: orders values that say no more about time
    created_at   text not null                   -- when it was written here
);
create index evidence_relation on evidence(relation_key);
create index evidence_memory on evidence(memory_key);

create table conflicts (                         -- two relations that cannot both hold, both shown
    relation_key integer not null references relations(key) on delete cascade,  -- the one
    other_key    integer not null references relations(key) on delete cascade,  -- the other
    created_at   text not null,                  -- when it was written here
    primary key (relation_key, other_key)
) without rowid;

create table links (                             -- memory to memory
    key        integer primary key,              -- the row
    from_key   integer not null references memories(key) on delete cascade,  -- the memory that it leads from
    to_key     integer not null references memories(key) on delete cascade,  -- the memory that it leads to
    type       text not null check (             -- what the first is to the second
        type in ('part_of', 'supersedes', 'contradicts', 'relates_to', 'derived_from', 'summarized_by')
    ),
    weight     real not null default 1,          -- how much it counts
    why        text not null default '',         -- the reason, in words
    created_at text not null,                    -- when it was written here
    unique (from_key, to_key, type)
);
create index links_to on links(to_key, type);

create table merges (                            -- what a merge moved, so that it can be taken back exactly
    key         integer primary key,             -- the row
    kept_key    integer not null references entities(key) on delete cascade,  -- the entity that stayed
    merged_key  integer not null references entities(key) on delete cascade,  -- the entity that went into it
    moved       text not null,                   -- JSON: the rows as they were
    created_at  text not null                    -- when it was written here
);

create table fingerprints (                      -- what nearly equal texts share some of
    band       integer not null,                 -- a hash of some of its words
    memory_key integer not null references memories(key) on delete cascade,  -- the memory
    primary key (band, memory_key)
) without rowid;
create index fingerprints_memory on fingerprints(memory_key);

create table word_cases (                        -- how this database writes a word in the middle of sentences
    word  text primary key,                      -- in lower case
    lower integer not null default 0,            -- how often it is written small
    upper integer not null default 0             -- how often with a capital
) without rowid;

create table extractions (                       -- what was read for the graph, and which text it was
    memory_key integer not null references memories(key) on delete cascade,  -- the memory
    extractor  text not null,                    -- who read it
    hash       text not null,                    -- of the memory's text then
    at         text not null,                    -- when
    error      text,                             -- what went wrong
    primary key (memory_key, extractor)
) without rowid;

-- ------------------------------------------------------------------------------------------ the ledger of recalls

create table recalls (                           -- a question that was asked
    key      integer primary key,                -- the row
    id       text not null unique,               -- what people see and keep
    question text not null,                      -- its text
    strategy text not null,                      -- JSON
    options  text not null default '{}',         -- JSON
    channels text not null default '{}',         -- JSON: which ran, and why one did not
    ms       real,                               -- how long it took
    at       text not null                       -- when it was asked
);

create table recall_hits (                       -- what one channel said of one candidate of one recall
    recall_key   integer not null references recalls(key) on delete cascade,  -- the recall
    memory_key   integer not null references memories(key) on delete cascade,  -- the candidate
    rank         integer,                        -- null: left out
    score        real not null,                  -- its fused score
    channel      text not null,                  -- one row per channel that found it
    channel_rank integer not null,               -- its place in that channel
    raw          real not null,                  -- that channel's own score
    contribution real not null,                  -- what that added to the fused score
    boosts       text not null default '{}',     -- JSON
    tokens       integer not null default 0,     -- how long it is
    left_out     text,                           -- why it was left out
    primary key (recall_key, memory_key, channel)
) without rowid;
create index recall_hits_memory on recall_hits(memory_key);

create table settings (                          -- of this database: name to JSON
    name  text primary key,                      -- what is set
    value text not null                          -- JSON
) without rowid;
insert into settings (name, value) values ('database', json_quote(lower(hex(randomblob(8)))));  -- which file this is

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

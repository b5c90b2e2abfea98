-- Rows that any program deletes or changes: what refers to a deleted row goes with it, and keys stay as they are.
-- SQLite itself does so for programs that set `foreign_keys`; most do not. These triggers need no setting and no function
-- of memkit. None of them runs when memkit adds rows.

create index relations_superseded on relations(superseded_by) where superseded_by is not null;
create index conflicts_other on conflicts(other_key);

create trigger documents_deleted after delete on documents begin
    update memories set document_key = null where document_key = old.key;
end;

-- Inserting a key here deletes what refers to that memory; nothing is stored.
create view memories_gone as select key from memories;
create trigger memories_gone_insert instead of insert on memories_gone begin
    delete from access where memory_key = new.key;
    delete from embeddings where memory_key = new.key;
    delete from mentions where memory_key = new.key;
    delete from evidence where memory_key = new.key;
    delete from links where from_key = new.key;
    delete from links where to_key = new.key;
    delete from fingerprints where memory_key = new.key;
    delete from extractions where memory_key = new.key;
    delete from recall_hits where memory_key = new.key;
    delete from former where memory_key = new.key;
    delete from feedback where memory_key = new.key;
end;

create trigger memories_deleted after delete on memories begin
    insert into memories_gone(key) values (old.key);
end;

create trigger models_deleted after delete on models begin
    delete from embeddings where model_key = old.key;
    delete from entity_embeddings where model_key = old.key;
end;

create trigger entities_deleted after delete on entities begin
    delete from entity_embeddings where entity_key = old.key;
    update entities set merged_into = null where merged_into = old.key;
    delete from aliases where entity_key = old.key;
    delete from mentions where entity_key = old.key;
    delete from relations where subject_key = old.key;
    delete from relations where object_key = old.key;
    delete from merges where kept_key = old.key;
    delete from merges where merged_key = old.key;
    delete from former where entity_key = old.key;
end;

create trigger relations_deleted after delete on relations begin
    update relations set superseded_by = null where superseded_by = old.key;
    delete from evidence where relation_key = old.key;
    delete from conflicts where relation_key = old.key;
    delete from conflicts where other_key = old.key;
    delete from former where relation_key = old.key;
end;

create trigger recalls_deleted after delete on recalls begin
    delete from recall_hits where recall_key = old.key;
end;

-- INSERT OR REPLACE fires no trigger for the row that it deletes. Other triggers note it in `index_replaced` meanwhile.
create trigger memories_replaced after delete on index_replaced
when not exists (select 1 from memories where key = old.key) begin
    insert into memories_gone(key) values (old.key);
end;

-- The triggers below refuse a change. While `index_paused` has a row, memkit writes, and they are off.

-- A key never changes, because other rows refer to it. UPDATE OR REPLACE would delete the row that has the id already, and
-- fire no trigger for it.

create trigger documents_key before update of key on documents
when new.key <> old.key and not exists (select 1 from index_paused) begin
    select raise(abort, 'The key of a document never changes, because other rows refer to it');
end;
create trigger documents_id before update of id on documents
when exists (select 1 from documents as other where other.id = new.id and other.key <> old.key)
    and not exists (select 1 from index_paused) begin
    select raise(abort, 'Another document has this id');
end;

create trigger memories_key before update of key on memories
when new.key <> old.key and not exists (select 1 from index_paused) begin
    select raise(abort, 'The key of a memory never changes, because other rows refer to it');
end;
create trigger memories_id before update of id on memories
when exists (select 1 from memories as other where other.id = new.id and other.key <> old.key)
    and not exists (select 1 from index_paused) begin
    select raise(abort, 'Another memory has this id');
end;

create trigger entities_key before update of key on entities
when new.key <> old.key and not exists (select 1 from index_paused) begin
    select raise(abort, 'The key of an entity never changes, because other rows refer to it');
end;
create trigger entities_id before update of id on entities
when exists (select 1 from entities as other where other.id = new.id and other.key <> old.key)
    and not exists (select 1 from index_paused) begin
    select raise(abort, 'Another entity has this id');
end;

create trigger relations_key before update of key on relations
when new.key <> old.key and not exists (select 1 from index_paused) begin
    select raise(abort, 'The key of a relation never changes, because other rows refer to it');
end;
create trigger relations_id before update of id on relations
when exists (select 1 from relations as other where other.id = new.id and other.key <> old.key)
    and not exists (select 1 from index_paused) begin
    select raise(abort, 'Another relation has this id');
end;

create trigger recalls_key before update of key on recalls
when new.key <> old.key and not exists (select 1 from index_paused) begin
    select raise(abort, 'The key of a recall never changes, because other rows refer to it');
end;
create trigger recalls_id before update of id on recalls
when exists (select 1 from recalls as other where other.id = new.id and other.key <> old.key)
    and not exists (select 1 from index_paused) begin
    select raise(abort, 'Another recall has this id');
end;

create trigger models_key before update of key, dims on models
when (new.key, new.dims) is not (old.key, old.dims) and not exists (select 1 from index_paused) begin
    select raise(abort, 'A model never changes, because its vectors are stored. For another one: memkit reindex');
end;

-- A column holds values of its own type: SQLite would store anything. `key` is left out, because SQLite checks it, and so
-- are the tables that ingest updates for each memory (word_cases, extractions).

create trigger documents_types before update on documents
when ('blob' in (typeof(new.id), typeof(new.source), typeof(new.kind), typeof(new.title), typeof(new.hash),
        typeof(new.project), typeof(new.created_at), typeof(new.updated_at), typeof(new.archived_at),
        typeof(new.meta)))
    and not exists (select 1 from index_paused) begin
    select raise(abort, 'A column of documents holds values of its own type only');
end;

create trigger memories_types before update on memories
when ('blob' in (typeof(new.id), typeof(new.document_key), typeof(new.position), typeof(new.source_id),
        typeof(new.kind), typeof(new.text), typeof(new.title), typeof(new.speaker), typeof(new.category),
        typeof(new.tags), typeof(new.project), typeof(new.slot), typeof(new.slot_key), typeof(new.importance),
        typeof(new.confidence), typeof(new.happened_at), typeof(new.created_at), typeof(new.updated_at),
        typeof(new.valid_from), typeof(new.valid_until), typeof(new.expires_at), typeof(new.archived_at),
        typeof(new.compression), typeof(new.tokens), typeof(new.hash), typeof(new.text_hash), typeof(new.meta))
    or 'text' in (typeof(new.document_key), typeof(new.position), typeof(new.tokens), typeof(new.importance),
        typeof(new.confidence))
    or 'real' in (typeof(new.document_key), typeof(new.position), typeof(new.tokens)))
    and not exists (select 1 from index_paused) begin
    select raise(abort, 'A column of memories holds values of its own type only');
end;

create trigger access_types before update on access
when ('blob' in (typeof(new.memory_key), typeof(new.count), typeof(new.last_at))
    or 'text' in (typeof(new.memory_key), typeof(new.count))
    or 'real' in (typeof(new.memory_key), typeof(new.count)))
    and not exists (select 1 from index_paused) begin
    select raise(abort, 'A column of access holds values of its own type only');
end;

create trigger models_types before update on models
when ('blob' in (typeof(new.id), typeof(new.version), typeof(new.dims), typeof(new.active), typeof(new.created_at))
    or 'text' in (typeof(new.dims), typeof(new.active))
    or 'real' in (typeof(new.dims), typeof(new.active)))
    and not exists (select 1 from index_paused) begin
    select raise(abort, 'A column of models holds values of its own type only');
end;

create trigger embeddings_types before update on embeddings
when ('blob' in (typeof(new.memory_key), typeof(new.model_key))
    or 'text' in (typeof(new.memory_key), typeof(new.model_key))
    or 'real' in (typeof(new.memory_key), typeof(new.model_key))
    or typeof(new.vector) <> 'blob' or typeof(new.code) <> 'blob')
    and not exists (select 1 from index_paused) begin
    select raise(abort, 'A column of embeddings holds values of its own type only');
end;

create trigger entity_embeddings_types before update on entity_embeddings
when ('blob' in (typeof(new.entity_key), typeof(new.model_key))
    or 'text' in (typeof(new.entity_key), typeof(new.model_key))
    or 'real' in (typeof(new.entity_key), typeof(new.model_key))
    or typeof(new.vector) <> 'blob')
    and not exists (select 1 from index_paused) begin
    select raise(abort, 'A column of entity_embeddings holds values of its own type only');
end;

create trigger entities_types before update on entities
when ('blob' in (typeof(new.id), typeof(new.name), typeof(new.normal), typeof(new.kind), typeof(new.description),
        typeof(new.merged_into), typeof(new.created_at), typeof(new.updated_at), typeof(new.meta))
    or 'text' in (typeof(new.merged_into))
    or 'real' in (typeof(new.merged_into)))
    and not exists (select 1 from index_paused) begin
    select raise(abort, 'A column of entities holds values of its own type only');
end;

create trigger aliases_types before update on aliases
when ('blob' in (typeof(new.entity_key), typeof(new.alias), typeof(new.normal), typeof(new.source))
    or 'text' in (typeof(new.entity_key))
    or 'real' in (typeof(new.entity_key)))
    and not exists (select 1 from index_paused) begin
    select raise(abort, 'A column of aliases holds values of its own type only');
end;

create trigger mentions_types before update on mentions
when ('blob' in (typeof(new.memory_key), typeof(new.entity_key), typeof(new.role), typeof(new.surface),
        typeof(new.start), typeof(new.count), typeof(new.confidence))
    or 'text' in (typeof(new.memory_key), typeof(new.entity_key), typeof(new.start), typeof(new.count),
        typeof(new.confidence))
    or 'real' in (typeof(new.memory_key), typeof(new.entity_key), typeof(new.start), typeof(new.count)))
    and not exists (select 1 from index_paused) begin
    select raise(abort, 'A column of mentions holds values of its own type only');
end;

create trigger relations_types before update on relations
when ('blob' in (typeof(new.id), typeof(new.subject_key), typeof(new.predicate), typeof(new.object_key),
        typeof(new.confidence), typeof(new.valid_from), typeof(new.valid_until), typeof(new.created_at),
        typeof(new.expired_at), typeof(new.superseded_by), typeof(new.method))
    or 'text' in (typeof(new.subject_key), typeof(new.object_key), typeof(new.superseded_by),
        typeof(new.confidence))
    or 'real' in (typeof(new.subject_key), typeof(new.object_key), typeof(new.superseded_by)))
    and not exists (select 1 from index_paused) begin
    select raise(abort, 'A column of relations holds values of its own type only');
end;

create trigger evidence_types before update on evidence
when ('blob' in (typeof(new.relation_key), typeof(new.memory_key), typeof(new.quote), typeof(new.method),
        typeof(new.confidence), typeof(new.valid_from), typeof(new.valid_until), typeof(new.said_at),
        typeof(new.created_at))
    or 'text' in (typeof(new.relation_key), typeof(new.memory_key), typeof(new.confidence))
    or 'real' in (typeof(new.relation_key), typeof(new.memory_key)))
    and not exists (select 1 from index_paused) begin
    select raise(abort, 'A column of evidence holds values of its own type only');
end;

create trigger conflicts_types before update on conflicts
when ('blob' in (typeof(new.relation_key), typeof(new.other_key), typeof(new.created_at))
    or 'text' in (typeof(new.relation_key), typeof(new.other_key))
    or 'real' in (typeof(new.relation_key), typeof(new.other_key)))
    and not exists (select 1 from index_paused) begin
    select raise(abort, 'A column of conflicts holds values of its own type only');
end;

create trigger links_types before update on links
when ('blob' in (typeof(new.from_key), typeof(new.to_key), typeof(new.type), typeof(new.weight), typeof(new.why),
        typeof(new.created_at))
    or 'text' in (typeof(new.from_key), typeof(new.to_key), typeof(new.weight))
    or 'real' in (typeof(new.from_key), typeof(new.to_key)))
    and not exists (select 1 from index_paused) begin
    select raise(abort, 'A column of links holds values of its own type only');
end;

create trigger merges_types before update on merges
when ('blob' in (typeof(new.kept_key), typeof(new.merged_key), typeof(new.moved), typeof(new.created_at))
    or 'text' in (typeof(new.kept_key), typeof(new.merged_key))
    or 'real' in (typeof(new.kept_key), typeof(new.merged_key)))
    and not exists (select 1 from index_paused) begin
    select raise(abort, 'A column of merges holds values of its own type only');
end;

create trigger fingerprints_types before update on fingerprints
when ('blob' in (typeof(new.band), typeof(new.memory_key))
    or 'text' in (typeof(new.band), typeof(new.memory_key))
    or 'real' in (typeof(new.band), typeof(new.memory_key)))
    and not exists (select 1 from index_paused) begin
    select raise(abort, 'A column of fingerprints holds values of its own type only');
end;

create trigger recalls_types before update on recalls
when ('blob' in (typeof(new.id), typeof(new.question), typeof(new.strategy), typeof(new.options),
        typeof(new.channels), typeof(new.ms), typeof(new.at))
    or 'text' in (typeof(new.ms)))
    and not exists (select 1 from index_paused) begin
    select raise(abort, 'A column of recalls holds values of its own type only');
end;

create trigger recall_hits_types before update on recall_hits
when ('blob' in (typeof(new.recall_key), typeof(new.memory_key), typeof(new.rank), typeof(new.score),
        typeof(new.channel), typeof(new.channel_rank), typeof(new.raw), typeof(new.contribution),
        typeof(new.boosts), typeof(new.tokens), typeof(new.left_out))
    or 'text' in (typeof(new.recall_key), typeof(new.memory_key), typeof(new.rank), typeof(new.channel_rank),
        typeof(new.tokens), typeof(new.score), typeof(new.raw), typeof(new.contribution))
    or 'real' in (typeof(new.recall_key), typeof(new.memory_key), typeof(new.rank), typeof(new.channel_rank),
        typeof(new.tokens)))
    and not exists (select 1 from index_paused) begin
    select raise(abort, 'A column of recall_hits holds values of its own type only');
end;

create trigger settings_types before update on settings
when ('blob' in (typeof(new.name), typeof(new.value)))
    and not exists (select 1 from index_paused) begin
    select raise(abort, 'A column of settings holds values of its own type only');
end;

create trigger maintenance_types before update on maintenance
when ('blob' in (typeof(new.id), typeof(new.run), typeof(new.step), typeof(new.action), typeof(new.memory_id),
        typeof(new.at), typeof(new.why), typeof(new.sources), typeof(new.before), typeof(new.undone_at)))
    and not exists (select 1 from index_paused) begin
    select raise(abort, 'A column of maintenance holds values of its own type only');
end;

create trigger pruned_types before update on pruned
when ('blob' in (typeof(new.memory_id), typeof(new.rows), typeof(new.why), typeof(new.pruned_at),
        typeof(new.kept_until)))
    and not exists (select 1 from index_paused) begin
    select raise(abort, 'A column of pruned holds values of its own type only');
end;

create trigger proposals_types before update on proposals
when ('blob' in (typeof(new.id), typeof(new.kind), typeof(new.members), typeof(new.text), typeof(new.why),
        typeof(new.state), typeof(new.created_at), typeof(new.decided_at)))
    and not exists (select 1 from index_paused) begin
    select raise(abort, 'A column of proposals holds values of its own type only');
end;

create trigger feedback_types before update on feedback
when ('blob' in (typeof(new.memory_key), typeof(new.question), typeof(new.useful), typeof(new.at))
    or 'text' in (typeof(new.memory_key), typeof(new.useful))
    or 'real' in (typeof(new.memory_key), typeof(new.useful)))
    and not exists (select 1 from index_paused) begin
    select raise(abort, 'A column of feedback holds values of its own type only');
end;

create trigger former_types before update on former
when ('blob' in (typeof(new.memory_key), typeof(new.relation_key), typeof(new.entity_key), typeof(new.word))
    or 'text' in (typeof(new.memory_key), typeof(new.relation_key), typeof(new.entity_key))
    or 'real' in (typeof(new.memory_key), typeof(new.relation_key), typeof(new.entity_key)))
    and not exists (select 1 from index_paused) begin
    select raise(abort, 'A column of former holds values of its own type only');
end;

-- Arrays for recall: what a new process would have to read row by row, stored as it is used, and read at once. They
-- repeat other rows. A change of these drops them (below), and the next ingest or upkeep writes them again.

-- ------------------------------------------------------------------------------------------ arrays for recall

create table code_blocks (                       -- the codes of many vectors in one row
    key         integer primary key,             -- the row
    model_key   integer not null references models(key) on delete cascade,  -- the model that made the vectors
    first_key   integer not null,                -- it has the codes of all embeddings with keys from this one
    last_key    integer not null,                -- up to this one
    keys        blob not null,                   -- the keys of these embeddings, ascending (int64, little-endian)
    memory_keys blob not null,                   -- the memory of each (int64, little-endian)
    codes       blob not null                    -- the first 64 bits of every code, then the next ones (uint64, little-endian)
);
create unique index code_blocks_range on code_blocks(model_key, first_key);

create table graph_arrays (                      -- the graph that recall walks: nodes and edges
    part  integer primary key,                   -- 0: which rows the arrays were made from; 1 to 6: an array
    value blob not null                          -- JSON for part 0; numbers, little-endian, for an array
);

-- Inserting a pair here drops the block that has this embedding; nothing is stored.
create view codes_changed as select model_key, key from embeddings;
create trigger codes_changed_insert instead of insert on codes_changed begin
    delete from code_blocks
    where model_key = new.model_key and last_key >= new.key and first_key = (
        select max(first_key) from code_blocks where model_key = new.model_key and first_key <= new.key
    );
end;
-- A row that memkit adds has no key yet, which is -1 here.
create trigger code_blocks_insert before insert on embeddings when new.key > 0 begin
    insert into codes_changed(model_key, key) values (new.model_key, new.key);
end;
create trigger code_blocks_delete after delete on embeddings begin
    insert into codes_changed(model_key, key) values (old.model_key, old.key);
end;
create trigger code_blocks_update after update on embeddings begin
    insert into codes_changed(model_key, key) values (old.model_key, old.key), (new.model_key, new.key);
end;

-- Rows that are only added are read after the arrays; for anything else the graph is made again. Without its state it
-- counts as missing: that is a small row, and the arrays may be large.
create trigger graph_arrays_memories_delete after delete on memories begin
    delete from graph_arrays where part = 0;
end;
create trigger graph_arrays_memories_update after update of key, document_key, position on memories
when new.key <> old.key or new.document_key is not old.document_key or new.position is not old.position begin
    delete from graph_arrays where part = 0;
end;
create trigger graph_arrays_entities_delete after delete on entities begin
    delete from graph_arrays where part = 0;
end;
create trigger graph_arrays_entities_update after update of key, merged_into on entities begin
    delete from graph_arrays where part = 0;
end;
create trigger graph_arrays_mentions_delete after delete on mentions begin
    delete from graph_arrays where part = 0;
end;
create trigger graph_arrays_mentions_update after update on mentions begin
    delete from graph_arrays where part = 0;
end;
create trigger graph_arrays_relations_delete after delete on relations begin
    delete from graph_arrays where part = 0;
end;
create trigger graph_arrays_relations_update
after update of key, subject_key, object_key, confidence, expired_at on relations begin
    delete from graph_arrays where part = 0;
end;
create trigger graph_arrays_links_delete after delete on links begin
    delete from graph_arrays where part = 0;
end;
create trigger graph_arrays_links_update after update on links begin
    delete from graph_arrays where part = 0;
end;

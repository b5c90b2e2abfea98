-- Where texts stand and how long they are, stored as recall uses it: it scores a word by the texts that have it, and by
-- those beside these. The blocks repeat other rows; a change of these drops them, and ingest or upkeep writes them again.

-- ------------------------------------------------------------------------------------------ places and lengths of texts

create table text_blocks (                       -- the places and lengths of many texts in one row
    key       integer primary key,               -- the row
    first_key integer not null unique,           -- it has all memories with keys from this one
    last_key  integer not null,                  -- up to this one
    keys      blob not null,                     -- the keys of these memories, ascending (int64, little-endian)
    documents blob not null,                     -- the document of each, 0 for none (int32, little-endian)
    positions blob not null,                     -- the position of each in it (int32, little-endian)
    words     blob not null,                     -- how many words of each are indexed, then by how many its neighbours are found (int32)
    pairs     blob not null                      -- the same for scripts without spaces; empty if there are none
);

-- Inserting a key here drops the block that has this memory; nothing is stored.
create view texts_changed as select key from memories;
create trigger texts_changed_insert instead of insert on texts_changed begin
    delete from text_blocks
    where last_key >= new.key and first_key = (select max(first_key) from text_blocks where first_key <= new.key);
end;
create trigger text_blocks_insert after insert on memories begin
    insert into texts_changed(key) values (new.key);
end;
-- Of rows that are replaced only this is seen, and it may be one of another key.
create trigger text_blocks_replace after insert on index_replaced begin
    insert into texts_changed(key) values (new.key);
end;
create trigger text_blocks_delete after delete on memories begin
    insert into texts_changed(key) values (old.key);
end;
create trigger text_blocks_update
after update of key, document_key, position, text, title, speaker, tags, slot_key, archived_at on memories begin
    insert into texts_changed(key) values (old.key), (new.key);
end;

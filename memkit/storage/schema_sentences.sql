-- The words of each memory's sentences, as an embedding model reads them, so that recall finds the nearest sentence of a
-- long text without reading the text. They repeat the text: whatever deletes its vector deletes them too. Without them
-- recall reads the text.

-- ------------------------------------------------------------------------------------------ sentences

create table sentences (                         -- the sentences of a memory, in the words of its model
    key        integer primary key,              -- the row
    memory_key integer not null references memories(key) on delete cascade,  -- the memory
    model_key  integer not null references models(key) on delete cascade,    -- the model that reads these words
    sizes      blob not null,                    -- how many words each sentence has (uint16, little-endian)
    lengths    blob not null,                    -- the length of the sum of their vectors (float32, little-endian)
    words      blob not null,                    -- the numbers of the words in the model's vocabulary (uint16, little-endian)
    unique (memory_key, model_key)               -- with rowids, because a long row takes less room there
);

create trigger sentences_vector_deleted after delete on embeddings begin
    delete from sentences where memory_key = old.memory_key and model_key = old.model_key;
end;
create trigger sentences_vector_moved after update of memory_key, model_key on embeddings begin
    delete from sentences where memory_key in (old.memory_key, new.memory_key);
end;
create trigger sentences_text_changed after update of text on memories when new.text is not old.text begin
    delete from sentences where memory_key = new.key;
end;

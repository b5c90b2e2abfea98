-- Recall reads two bits of each number of the vectors, from blocks; an index of the embeddings need not repeat the first.

drop index if exists embeddings_model;
create index embeddings_keys on embeddings(model_key, key, memory_key);  -- which there are, without reading the vectors

drop table code_blocks;  -- it had the first bits only
create table code_blocks (                       -- two bits for each number of many vectors in one row
    key         integer primary key,             -- the row
    model_key   integer not null references models(key) on delete cascade,  -- the model that made the vectors
    first_key   integer not null,                -- it has the codes of all embeddings with keys from this one
    last_key    integer not null,                -- up to this one
    keys        blob not null,                   -- the keys of these embeddings, ascending (int64, little-endian)
    memory_keys blob not null,                   -- the memory of each (int64, little-endian)
    codes       blob not null                    -- 64 signs of every vector, then the next 64; then which numbers are large (uint64)
);
create unique index code_blocks_range on code_blocks(model_key, first_key);

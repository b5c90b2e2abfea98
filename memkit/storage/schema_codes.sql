-- Recall reads two bits of each number of the vectors, from blocks; an index of the embeddings need not repeat the first.

drop index if exists embeddings_model;
create index embeddings_keys on embeddings(model_key, key, memory_key);  -- which there are, without reading the vectors
delete from code_blocks;  -- a code was the signs alone; now the second bits of all numbers follow them

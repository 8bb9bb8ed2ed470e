from __future__ import annotations

import numpy as np
import pytest
import torch

from protorel.batches import tokenise_all
from protorel.encoders import CNNEncoder, encode_in_chunks, word_tokenizer
from protorel.statements import BadInput, Span, Statement

WORDS = "ada kroll bela tarn was born in died lunsk oster , . the poet after a long illness"
TOKENIZER = word_tokenizer(WORDS.split(" "))


def small_cnn(seed: int = 0, **settings) -> CNNEncoder:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        sizes = {"words": TOKENIZER.layout.vocabulary_size, "word_width": 6, "position_width": 2, "channels": 8}
        return CNNEncoder(**{**sizes, **settings})


@pytest.fixture
def rows(some_statements):
    return tokenise_all(some_statements, TOKENIZER, max_length=64)


def test_a_vector_equals_plain_loops(rows):
    encoder = small_cnn().eval()
    batch = rows.batch(range(6))
    found = encoder(batch)
    weight, bias = encoder.convolution.weight, encoder.convolution.bias
    for i in range(6):
        row = rows.row(i)
        words = []
        for place, word in enumerate(row.ids.tolist()):
            to_head, to_tail = (max(-40, min(40, place - start)) + 40 for start in (row.head[0], row.tail[0]))
            words.append(
                torch.cat([encoder.word.weight[word], encoder.to_head.weight[to_head], encoder.to_tail.weight[to_tail]])
            )
        nothing = torch.zeros(10)
        padded = [nothing, *words, nothing]
        features = [
            torch.relu(sum(weight[:, :, k] @ padded[place + k] for k in range(3)) + bias) for place in range(len(words))
        ]
        torch.testing.assert_close(found[i], torch.stack(features).amax(0), atol=1e-5, rtol=1e-4)


def test_padding_does_not_change_a_vector(rows):
    encoder = small_cnn().eval()
    with torch.no_grad():
        # Padding's own position embeddings and a bias must not leak in.
        encoder.convolution.bias.fill_(0.5)
        together = encoder(rows.batch(range(6)))
        alone = torch.cat([encoder(rows.batch([i])) for i in range(6)])
    torch.testing.assert_close(together, alone)


@pytest.mark.parametrize("chunks", [1, 4])
def test_encoding_in_chunks_equals_encoding_whole(rows, chunks):
    encoder = small_cnn().eval()
    batch = rows.batch(range(6))
    torch.testing.assert_close(encode_in_chunks(encoder, batch, chunks=chunks).vectors, encoder(batch))


def test_swapping_head_and_tail_gives_another_vector():
    text = "ada was born in lunsk"
    forth, back = Statement(text, Span(0, 3), Span(16, 21)), Statement(text, Span(16, 21), Span(0, 3))
    vectors = small_cnn().eval()(tokenise_all([forth, back], TOKENIZER, max_length=64).batch([0, 1]))
    assert not torch.allclose(vectors[0], vectors[1])


def test_it_learns_to_tell_two_relations_apart_in_a_few_steps():
    texts = [f"{name} was {verb} in {place}" for name in ("ada", "bela") for verb in ("born", "died")
             for place in ("lunsk", "oster")]  # fmt: skip
    statements = [Statement(t, Span(0, t.index(" ")), Span(t.rindex(" ") + 1, len(t))) for t in texts]
    batch = tokenise_all(statements, TOKENIZER, max_length=64).batch(range(8))
    wanted = torch.tensor(["born" in text for text in texts]).long()
    encoder = small_cnn(dropout=0.0)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        classifier = torch.nn.Linear(encoder.width, 2)
    optimiser = torch.optim.Adam([*encoder.parameters(), *classifier.parameters()], lr=0.02)
    for _ in range(30):
        optimiser.zero_grad()
        loss = torch.nn.functional.cross_entropy(classifier(encoder(batch)), wanted)
        loss.backward()
        optimiser.step()
    assert loss.item() < 0.1
    assert torch.equal(encoder.word.weight[TOKENIZER.layout.pad], torch.zeros(6))


def test_word_vectors_are_taken_over():
    encoder = small_cnn()
    vectors = torch.from_numpy(np.random.default_rng(0).normal(size=encoder.word.weight.shape).astype(np.float32))
    encoder.use_word_vectors(vectors)
    assert torch.equal(encoder.word.weight.detach(), vectors)


@pytest.mark.parametrize("shape", [(21, 7), (3, 6)])
def test_word_vectors_of_the_wrong_shape_are_refused(shape):
    with pytest.raises(BadInput, match=rf"shape \({shape[0]}, {shape[1]}\), .* is wanted"):
        small_cnn().use_word_vectors(torch.zeros(shape))


def test_an_even_window_has_no_middle_and_is_refused():
    with pytest.raises(BadInput, match="window=4"):
        small_cnn(window=4)


def test_saving_and_loading_keeps_settings_and_weights(rows, tmp_path):
    encoder = small_cnn(window=5, farthest=7, dropout=0.5)
    encoder.save_weights(tmp_path)
    loaded = CNNEncoder.load(tmp_path, encoder.settings)
    assert loaded.settings == encoder.settings
    batch = rows.batch(range(6))
    assert torch.equal(loaded.eval()(batch), encoder.eval()(batch))


def test_weights_that_do_not_fit_the_settings_are_refused(tmp_path):
    encoder = small_cnn()
    encoder.save_weights(tmp_path)
    with pytest.raises(BadInput, match=r"model\.safetensors: does not fit"):
        CNNEncoder.load(tmp_path, {**encoder.settings, "channels": 9})


def test_it_has_no_word_embeddings_to_share():
    assert small_cnn().token_embeddings is None

from __future__ import annotations

import shutil

import pytest
import torch
from transformers import AutoConfig, AutoModel

from protorel.batches import StatementTokenizer, tokenise_all
from protorel.encoders import READOUTS, Source, TransformerEncoder, encode_in_chunks, transformer
from protorel.statements import BadInput


@pytest.fixture
def rows(tiny_tokenizer, some_statements):
    return tokenise_all(some_statements, tiny_tokenizer, max_length=64)


def test_states_are_those_of_the_backbone_on_each_row_alone(tiny_encoder, rows):
    with torch.no_grad():
        states = tiny_encoder.states(rows.batch(range(6)))
        for i in range(6):
            ids = torch.from_numpy(rows.row(i).ids).long()[None]
            alone = tiny_encoder.backbone(input_ids=ids).last_hidden_state[0]
            torch.testing.assert_close(states[i, : len(alone)], alone, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("readout", READOUTS)
def test_padding_does_not_change_a_vector(tiny_encoder_folder, tiny_tokenizer, rows, readout):
    source = Source(str(tiny_encoder_folder), local=True)
    encoder = TransformerEncoder.load(source, readout=readout, tokenizer=tiny_tokenizer).eval()
    with torch.no_grad():
        together = encoder(rows.batch(range(6)))
        alone = torch.cat([encoder(rows.batch([i])) for i in range(6)])
    assert together.shape == (6, encoder.width)
    torch.testing.assert_close(together, alone, atol=1e-5, rtol=1e-4)


def test_what_the_tokens_at_padding_are_does_not_count(tiny_encoder, rows):
    batch = rows.batch(range(6))
    other = batch.with_tokens(torch.where(batch.present, batch.tokens, 7))
    with torch.no_grad():
        torch.testing.assert_close(tiny_encoder(other), tiny_encoder(batch))


def test_the_embeddings_grow_to_hold_the_markers_and_keep_every_old_word(tiny_encoder, tiny_encoder_folder):
    before = AutoModel.from_pretrained(tiny_encoder_folder).get_input_embeddings().weight
    after = tiny_encoder.token_embeddings.weight
    assert len(after) == len(before) + 5
    assert torch.equal(after[: len(before)], before)


def test_two_loads_give_the_same_vectors_for_new_markers_and_leave_the_global_state_alone(
    tiny_encoder_folder, tiny_tokenizer
):
    source = Source(str(tiny_encoder_folder), local=True)
    first = TransformerEncoder.load(source, readout="start", tokenizer=tiny_tokenizer)
    torch.manual_seed(12345)
    before = torch.random.get_rng_state()
    second = TransformerEncoder.load(source, readout="start", tokenizer=tiny_tokenizer)
    assert torch.equal(first.token_embeddings.weight, second.token_embeddings.weight)
    assert torch.equal(torch.random.get_rng_state(), before)


def test_new_markers_are_as_long_as_other_words_and_unlike_each_other(tiny_encoder, tiny_tokenizer):
    weight = tiny_encoder.token_embeddings.weight.detach()
    markers = weight[[*tiny_tokenizer.layout.head_markers, *tiny_tokenizer.layout.tail_markers]]
    assert len({tuple(row) for row in markers.tolist()}) == 4
    assert 0.5 < markers.norm(dim=1).mean() / weight.norm(dim=1).mean() < 2


def test_remote_code_and_pickles_are_never_allowed(monkeypatch, tiny_encoder_folder, tiny_tokenizer):
    asked = []
    genuine = AutoModel.from_pretrained

    def remember(name, **options):
        asked.append(options)
        return genuine(tiny_encoder_folder)

    monkeypatch.setattr(transformer.AutoModel, "from_pretrained", remember)
    for local in (True, False):
        TransformerEncoder.load(Source("somebody/something", local=local), readout="cls", tokenizer=tiny_tokenizer)
    wanted = {"trust_remote_code": False, "use_safetensors": True}
    assert asked == [{**wanted, "local_files_only": True}, {**wanted, "local_files_only": False}]


def test_an_unknown_readout_is_refused(tiny_encoder):
    with pytest.raises(BadInput, match="readout: expected one of start, mention, cls, mean, got 'max'"):
        TransformerEncoder(tiny_encoder.backbone, readout="max")


@pytest.mark.parametrize("harm", ["missing", "cut short", "empty"])
def test_damaged_weights_are_told_in_one_line_with_the_folder(tiny_encoder_folder, tiny_tokenizer, tmp_path, harm):
    folder = tmp_path / "copy"
    shutil.copytree(tiny_encoder_folder, folder)
    weights = folder / "model.safetensors"
    if harm == "missing":
        weights.unlink()
    else:
        weights.write_bytes(weights.read_bytes()[:1000] if harm == "cut short" else b"")
    with pytest.raises(BadInput, match=str(folder)) as problem:
        TransformerEncoder.load(Source(str(folder), local=True), readout="cls", tokenizer=tiny_tokenizer)
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize("chunks", [1, 2, 4, 6, 50])
def test_encoding_in_chunks_equals_encoding_whole_with_gradients_too(tiny_encoder, rows, chunks):
    batch = rows.batch([4, 0, 1, 3, 2, 5])
    weights = [p for p in tiny_encoder.parameters() if p.requires_grad]
    weigh = torch.randn(6, tiny_encoder.width, generator=torch.Generator().manual_seed(0))
    whole = tiny_encoder(batch)
    expected = torch.autograd.grad((whole * weigh).sum(), weights, allow_unused=True)
    chunked = encode_in_chunks(tiny_encoder, batch, chunks=chunks)
    found = torch.autograd.grad((chunked.vectors * weigh).sum(), weights, allow_unused=True)
    torch.testing.assert_close(chunked.vectors, whole, atol=1e-5, rtol=1e-4)
    assert chunked.states is None
    for one, other in zip(found, expected, strict=True):
        assert (one is None) == (other is None)
        if one is not None:
            torch.testing.assert_close(one, other, atol=1e-4, rtol=1e-3)


@pytest.mark.parametrize("chunks", [1, 3])
def test_kept_states_are_those_of_the_tokens_asked_for(tiny_encoder, rows, chunks):
    batch = rows.batch(range(6))
    keep = batch.content & (torch.rand(batch.tokens.shape, generator=torch.Generator().manual_seed(1)) < 0.3)
    with torch.no_grad():
        states = tiny_encoder.states(batch)
        found = encode_in_chunks(tiny_encoder, batch, chunks=chunks, keep=keep)
    places = [list(place) for place in zip(found.rows.tolist(), found.positions.tolist(), strict=True)]
    assert sorted(places) == keep.nonzero().tolist()
    torch.testing.assert_close(found.states, states[found.rows, found.positions], atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("chunks", [1, 2, 6])
def test_texts_among_statements_are_each_read_in_their_own_way(tiny_encoder, rows, chunks):
    batch = rows.batch(range(6))
    texts = torch.tensor([True, False, False, True, False, True])
    with torch.no_grad():
        states = tiny_encoder.states(batch)
        as_text, as_statement = tiny_encoder.read_text(states, batch), tiny_encoder.read(states, batch)
        found = encode_in_chunks(tiny_encoder, batch, chunks=chunks, texts=texts).vectors
    torch.testing.assert_close(found, torch.where(texts[:, None], as_text, as_statement), atol=1e-5, rtol=1e-4)


def test_words_of_all_chunks_are_looked_up_once(tiny_encoder, rows):
    looked_up = []
    tiny_encoder.token_embeddings.register_forward_hook(lambda _, given, __: looked_up.append(given[0].numel()))
    batch = rows.batch(range(6))
    encode_in_chunks(tiny_encoder, batch, chunks=6)
    assert looked_up == [int(batch.lengths.sum())]


@pytest.mark.parametrize("kind", ["bert", "roberta", "distilbert", "electra"])
def test_states_of_pieces_are_those_of_each_piece_alone_whatever_the_family_of_the_encoder(kind, tiny_tokenizer, rows):
    layout = tiny_tokenizer.layout
    own = {"n_layers": 2, "n_heads": 2, "dim": 16, "hidden_dim": 32} if kind == "distilbert" else {}
    config = AutoConfig.for_model(
        kind, vocab_size=layout.vocabulary_size, hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=32, pad_token_id=layout.pad, **own,
    )  # fmt: skip
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        encoder = TransformerEncoder(AutoModel.from_config(config), readout="start").eval()
    pieces = [rows.batch([0, 3]), rows.batch([5]), rows.batch([1, 2, 4])]
    with torch.no_grad():
        for found, piece in zip(encoder.states_of(pieces), pieces, strict=True):
            torch.testing.assert_close(found[piece.present], encoder.states(piece)[piece.present])


def test_a_backbone_that_takes_only_tokens_is_given_tokens(tiny_encoder, rows):
    class OnlyTokens(type(tiny_encoder.backbone)):
        def forward(self, input_ids, attention_mask):
            return super().forward(input_ids=input_ids, attention_mask=attention_mask)

    backbone = OnlyTokens(tiny_encoder.backbone.config)
    backbone.load_state_dict(tiny_encoder.backbone.state_dict())
    plain, batch = TransformerEncoder(backbone, readout="start").eval(), rows.batch(range(6))
    expected = encode_in_chunks(tiny_encoder, batch, chunks=3).vectors
    torch.testing.assert_close(encode_in_chunks(plain, batch, chunks=3).vectors, expected)


def test_settings_name_the_readout(tiny_encoder):
    assert tiny_encoder.settings == {"kind": "transformer", "readout": "start"}


def test_markers_that_start_as_brackets_have_the_embeddings_of_those_that_the_tokenizer_knows(
    make_tiny_encoder, tmp_path
):
    folder = make_tiny_encoder(
        ["Ada (born in Lunsk) wrote [in Oster", "Bela (of Oster) wrote [too"], tmp_path, words=60
    )
    tokenizer = StatementTokenizer.load(folder, markers=True)
    encoder = TransformerEncoder.load(Source(str(folder), local=True), readout="start", tokenizer=tokenizer)
    before = encoder.token_embeddings.weight.detach().clone()
    encoder.start_markers_as_brackets(tokenizer)
    after = encoder.token_embeddings.weight.detach()
    known = tokenizer.tokenizer.get_vocab()
    assert "]" not in known
    (head, head_stop), (tail, tail_stop) = tokenizer.layout.head_markers, tokenizer.layout.tail_markers
    expected = before.clone()
    for marker, bracket in ((head, "("), (head_stop, ")"), (tail, "[")):
        expected[marker] = before[known[bracket]]
    assert torch.equal(after, expected)
    assert torch.equal(after[tail_stop], before[tail_stop])
    assert not torch.equal(after[head], before[head])


def test_bf16_rounds_products_while_learning_and_at_no_other_time(bf16_works, tiny_encoder, rows):
    batch = rows.batch(range(6))
    exact = tiny_encoder(batch)
    tiny_encoder.trains_in_bf16 = True
    assert torch.equal(tiny_encoder(batch), exact)
    rounded = _without_dropout(tiny_encoder)(batch)
    assert not torch.equal(rounded, exact)
    torch.testing.assert_close(rounded, exact, atol=0.05, rtol=0.05)
    tiny_encoder.trains_in_bf16 = False
    torch.testing.assert_close(tiny_encoder(batch), exact)


def test_what_bf16_gives_to_objectives_and_to_the_optimiser_is_float32(bf16_works, tiny_encoder, rows):
    tiny_encoder.trains_in_bf16 = True
    vectors = _without_dropout(tiny_encoder)(rows.batch(range(6)))
    vectors.square().sum().backward()
    used = [weight for weight in tiny_encoder.parameters() if weight.grad is not None]
    assert vectors.dtype == torch.float32
    assert {weight.grad.dtype for weight in used} == {weight.dtype for weight in used} == {torch.float32}


def test_states_are_float32_even_where_a_backbone_ends_in_a_rounded_product(tiny_encoder, rows, monkeypatch):
    whole = tiny_encoder.backbone.forward

    def rounded(*arguments, **options):
        output = whole(*arguments, **options)
        output.last_hidden_state = output.last_hidden_state.bfloat16()
        return output

    monkeypatch.setattr(tiny_encoder.backbone, "forward", rounded)
    assert tiny_encoder.states(rows.batch(range(2))).dtype == torch.float32


def test_the_gradient_by_bf16_points_where_the_exact_one_does(bf16_works, tiny_encoder, rows):
    def gradient() -> torch.Tensor:
        tiny_encoder.zero_grad()
        vectors = _without_dropout(tiny_encoder)(rows.batch(range(6)))
        (vectors[:3] * vectors[3:]).sum().backward()
        return torch.cat([weight.grad.flatten() for weight in tiny_encoder.parameters() if weight.grad is not None])

    exact = gradient()
    tiny_encoder.trains_in_bf16 = True
    assert torch.cosine_similarity(gradient(), exact, dim=0) > 0.999


def _without_dropout(encoder: TransformerEncoder) -> TransformerEncoder:
    """Set an encoder to learn, with nothing left to chance."""
    encoder.train()
    for module in encoder.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    return encoder


def test_dropout_is_what_it_was_set_to_while_learning_and_off_otherwise(tiny_encoder_folder, tiny_tokenizer, rows):
    source = Source(str(tiny_encoder_folder), local=True)
    encoder = TransformerEncoder.load(source, readout="start", tokenizer=tiny_tokenizer)
    batch = rows.batch(range(6))
    settled = encoder.eval()(batch)
    assert not torch.equal(encoder.train()(batch), settled)
    encoder.use_dropout(0.0)
    torch.testing.assert_close(encoder.train()(batch), settled)
    encoder.use_dropout(0.5)
    assert not torch.equal(encoder.train()(batch), settled)
    torch.testing.assert_close(encoder.eval()(batch), settled)

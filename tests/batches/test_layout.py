from __future__ import annotations

import pytest
from transformers import PreTrainedTokenizerBase, PreTrainedTokenizerFast

from protorel.batches import StatementTokenizer, layout
from protorel.batches.layout import BLANK, MARKERS
from protorel.encoders import word_tokenizer
from protorel.statements import BadInput


def test_markers_get_ids_of_their_own_after_the_known_words(tiny_tokenizer):
    ids = [*tiny_tokenizer.layout.head_markers, *tiny_tokenizer.layout.tail_markers, tiny_tokenizer.layout.blank]
    assert ids == sorted(set(ids))
    assert tiny_tokenizer.tokenizer.convert_ids_to_tokens(ids) == [*MARKERS, BLANK]
    assert tiny_tokenizer.layout.vocabulary_size == max(ids) + 1


def test_the_ends_are_those_that_the_tokenizer_puts_around_a_text(tiny_tokenizer):
    found = tiny_tokenizer.layout
    names = tiny_tokenizer.tokenizer.convert_ids_to_tokens([*found.prefix, *found.suffix])
    assert names == ["[CLS]", "[SEP]"]
    assert found.frame == 6


def test_a_word_tokenizer_has_no_ends_and_no_markers():
    found = word_tokenizer(["ada", "lunsk"]).layout
    assert (found.prefix, found.suffix, found.head_markers, found.frame) == ((), (), None, 0)


@pytest.mark.parametrize("word", ["[CLS]", "[SEP]", "[PAD]", "[MASK]", *MARKERS, BLANK])
@pytest.mark.parametrize("text", ["{}", "ada {} kroll", "ada{}kroll", "{0}{0}"])
def test_no_text_can_forge_a_token_of_ours(tiny_tokenizer, word, text):
    found = tiny_tokenizer.layout
    [encoding] = tiny_tokenizer.split([text.format(word)])
    assert not {*found.structural, found.blank, found.mask} & set(encoding.ids)
    assert encoding.offsets[0][0] == 0
    assert encoding.offsets[-1][1] == len(text.format(word))


def test_long_texts_are_split_whole_even_by_a_tokenizer_that_would_cut_them(tiny_encoder_folder):
    tokenizer = PreTrainedTokenizerFast.from_pretrained(tiny_encoder_folder)
    tokenizer.backend_tokenizer.enable_truncation(8)
    tokenizer.backend_tokenizer.enable_padding(length=64)
    [encoding] = StatementTokenizer(tokenizer, markers=True).split(["ada " * 50])
    assert len(encoding.ids) >= 50
    assert set(encoding.ids).isdisjoint({tokenizer.pad_token_id})


def test_saving_and_loading_keeps_the_fingerprint(tiny_tokenizer, tmp_path):
    tiny_tokenizer.save(tmp_path)
    loaded = StatementTokenizer.load(tmp_path, markers=True)
    assert loaded.layout == tiny_tokenizer.layout
    assert loaded.fingerprint == tiny_tokenizer.fingerprint


def test_the_fingerprint_tells_vocabularies_and_layouts_apart(tiny_encoder_folder, tiny_tokenizer):
    prints = {
        tiny_tokenizer.fingerprint,
        StatementTokenizer.load(tiny_encoder_folder, markers=False).fingerprint,
        word_tokenizer(["ada"]).fingerprint,
        word_tokenizer(["ada", "lunsk"]).fingerprint,
        word_tokenizer(["lunsk", "ada"]).fingerprint,
    }
    assert len(prints) == 5


def test_a_tokenizer_without_padding_is_refused(tiny_encoder_folder):
    tokenizer = PreTrainedTokenizerFast.from_pretrained(tiny_encoder_folder)
    tokenizer.pad_token = None
    with pytest.raises(BadInput, match="padding"):
        StatementTokenizer(tokenizer, markers=True)


def test_a_tokenizer_without_offsets_is_refused():
    class Slow(PreTrainedTokenizerBase):
        backend_tokenizer = None

        def __init__(self) -> None:
            pass

    with pytest.raises(BadInput, match="offsets"):
        StatementTokenizer(Slow(), markers=True)


def test_remote_code_is_never_allowed(monkeypatch, tiny_encoder_folder):
    asked = {}

    def remember(name, **options):
        asked.update(options)
        return PreTrainedTokenizerFast.from_pretrained(name)

    monkeypatch.setattr(layout.AutoTokenizer, "from_pretrained", remember)
    StatementTokenizer.load(tiny_encoder_folder, markers=True)
    assert asked == {"trust_remote_code": False, "local_files_only": True}


def test_a_folder_without_a_tokenizer_is_named(tmp_path):
    with pytest.raises(BadInput, match=str(tmp_path)):
        StatementTokenizer.load(tmp_path, markers=True)

"""Triples that were extracted from text: each sentence with its entities marked, and its triples, right or wrong."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

from protorel.report.content import MarkedTriple, ReadSentence
from protorel.report.safe_text import readable, safe
from protorel.report.tables import long_list
from protorel.statements import Span

_MOST_SENTENCES, _MOST_TRIPLES = 60, 30
_LONGEST = 1_000


def triples_section(sentences: Sequence[ReadSentence], note: str, names: Mapping[str, str]) -> str:
    """Return the section of sentences that hold a triple; an empty string if no sentence was read."""
    if not sentences:
        return ""
    telling = [sentence for sentence in sentences if sentence.triples]
    items = [_sentence(sentence, names) for sentence in telling[:_MOST_SENTENCES]]
    return f"""<section aria-labelledby="triples">
<h2 id="triples" tabindex="-1">Triples from raw text</h2>
<p class="note">{safe(note, 2000)}</p>
<p class="note">{_shown(len(sentences), len(telling))} <mark class="entity">Entities</mark> are marked.</p>
{long_list(items)}
</section>"""


def _shown(all_sentences: int, telling: int) -> str:
    first = f"the first {_MOST_SENTENCES:,} of " if telling > _MOST_SENTENCES else ""
    sentences = "sentence" if telling == 1 else "sentences"
    return f"Below: {first}the {telling:,} {sentences}, of {all_sentences:,}, that give or miss a triple."


def _sentence(sentence: ReadSentence, names: Mapping[str, str]) -> str:
    rows = "\n".join(_triple(triple, names) for triple in sentence.triples[:_MOST_TRIPLES])
    return f"""<li>
<bdi class="sentence">{_painted(sentence.text, sentence.entities)}</bdi>
<ul class="triples">
{rows}
</ul>
</li>"""


def _painted(text: str, entities: Sequence[Span]) -> str:
    """Return the sentence as HTML with a `<mark>` around every entity; of two that overlap, around the first."""
    text = readable(text[: _LONGEST + 1])
    parts = []
    done = 0
    for entity in sorted(entities):
        if done <= entity.start and entity.stop <= _LONGEST:
            parts += [escape(text[done : entity.start]), f'<mark class="entity">{escape(entity.of(text))}</mark>']
            done = entity.stop
    rest = text[done:] if len(text) <= _LONGEST else text[done : _LONGEST - 1] + "…"
    return "".join(parts) + escape(rest)


def _triple(triple: MarkedTriple, names: Mapping[str, str]) -> str:
    relation = names.get(triple.relation) or triple.relation
    said = " → ".join(f"<bdi>{safe(part, 80)}</bdi>" for part in (triple.head, relation, triple.tail))
    sign, kind = ("✓", "right") if triple.right else ("✗", "wrong")
    verdict = f'<span class="verdict"><span aria-hidden="true">{sign}</span> {safe(triple.verdict)}</span>'
    return f'<li class="{kind}"><span>{said}</span>{_probability(triple.probability)}{verdict}</li>'


def _probability(value: float | None) -> str:
    return "" if value is None or not math.isfinite(value) else f' <span class="quiet">{value:.2f}</span>'

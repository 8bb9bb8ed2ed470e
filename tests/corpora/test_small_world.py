"""The embedded corpus: its wording, its facts, its noise, and what keeps training and testing apart."""

import json
import re
import time
from collections import Counter, defaultdict
from itertools import combinations, pairwise

import pytest

from protorel.corpora.small_world import SmallWorldSettings, build_small_world, write_raw
from protorel.corpora.small_world.names import ENTITY_TYPES
from protorel.corpora.small_world.phrasings import asides, neutral_phrasings, phrasings
from protorel.corpora.small_world.relations import BY_ID, DEFINITIONS, FAMILIES, HELD_OUT, TOGETHER, TRAINED
from protorel.statements import BadInput, fingerprint, read_statements, write_statements

FROZEN = {
    "train": "558ae6f95365d0d9f73f615524538b402490f14d81d2fe275123a809292cf34a",
    "test_relations": "971bfd2a8d9d2359ff345d4a402772a85a2e3efb38c0a9fecbb6eda0eb4e897f",
    "test_phrasings": "bab81aa1f0a963a2d9b591ad9798fbf488970db667389b656b748e053122b2c8",
}
TEMPLATES = [template for p in phrasings().values() for template in p.all]
NEUTRAL = [template for templates in neutral_phrasings().values() for template in templates]


@pytest.fixture(scope="module")
def world():
    return build_small_world()


def _tail_first(templates):
    return sum(template.index("{tail}") < template.index("{head}") for template in templates)


def _wrong_share(statements):
    return sum(not statement.expresses for statement in statements) / len(statements)


def _pairs(statements):
    return {(statement.head_id, statement.tail_id) for statement in statements}


def _entities(statements):
    return {entity for pair in _pairs(statements) for entity in pair}


def _matches(template, statement):
    """Tell whether the statement is the template with its names filled in, whatever clauses were put around it."""
    parts = re.split(r"(\{\w+\})", template.removesuffix("."))
    if max((part for part in parts if not part.startswith("{")), key=len)[1:] not in statement.text:
        return False
    names = {"{head}": re.escape(statement.head_text), "{tail}": re.escape(statement.tail_text)}
    pattern = "".join(names.get(part, r"\w+" if part.startswith("{") else re.escape(part)) for part in parts)
    # a clause inside stands behind the first name, between commas
    first = min(names, key=template.index)
    pattern = pattern.replace(names[first], names[first] + "(?:, .+,)?", 1)
    return re.search(pattern, statement.text, flags=re.IGNORECASE) is not None


# the wording


def test_there_are_thirty_two_relations_in_families_of_confusable_ones():
    assert len(DEFINITIONS) == len(BY_ID) == 32
    sizes = Counter(definition.family for definition in DEFINITIONS)
    assert set(sizes) == set(FAMILIES)
    assert min(sizes.values()) >= 2
    assert len(set(FAMILIES.values())) == len(FAMILIES)


@pytest.mark.parametrize("relation", [definition.id for definition in DEFINITIONS])
def test_every_relation_has_fourteen_phrasings_in_both_orders(relation):
    wording = phrasings()[relation]
    assert (len(wording.training), len(wording.held_out)) == (10, 4)
    assert 3 <= _tail_first(wording.training) <= 7
    assert 1 <= _tail_first(wording.held_out) <= 3
    assert _tail_first(wording.all) >= 4


@pytest.mark.parametrize("family", list(FAMILIES))
def test_every_family_has_ten_neutral_phrasings_in_both_orders(family):
    templates = neutral_phrasings()[family]
    assert len(templates) >= 10
    assert 2 <= _tail_first(templates) <= len(templates) - 2


def test_no_phrasing_stands_twice():
    assert len(set(TEMPLATES + NEUTRAL)) == len(TEMPLATES + NEUTRAL)


def test_a_phrasing_is_one_sentence_with_each_entity_once():
    of_persons = {template for d in DEFINITIONS if d.head_type == "person" for template in phrasings()[d.id].all}
    for template in TEMPLATES + NEUTRAL:
        assert template.count("{head}") == template.count("{tail}") == 1, template
        assert template.count(".") == 1, template
        assert template.endswith("."), template
        assert template[0] == "{" or template[0].isupper(), template
        # a pronoun needs a person in the head
        assert template in of_persons or set(re.findall(r"\{(\w+)\}", template)) == {"head", "tail"}, template


def test_asides_claim_trained_relations_only_and_name_known_types():
    assert set(asides().claims) == set(TRAINED)
    inside = [aside for group in asides().inside.values() for aside in group]
    for aside in [*asides().before, *asides().after, *inside]:
        assert aside.third_type in ENTITY_TYPES
        assert aside.wording.count("{third}") == 1
        has_claims = any(BY_ID[relation].head_type == aside.third_type for relation in asides().claims)
        assert "{claim}" not in aside.wording or has_claims


# names and facts


def test_no_name_equals_another_or_stands_inside_another(world):
    names = [tuple(entity.name.split()) for entity in world.entities]
    assert len(set(names)) == len(names)
    whole = set(names)
    for name in names:
        for start, stop in combinations(range(len(name) + 1), 2):
            assert name[start:stop] == name or name[start:stop] not in whole


def test_every_type_has_entities_and_most_names_have_several_words(world):
    assert {entity.type for entity in world.entities} == set(ENTITY_TYPES)
    assert sum(" " in entity.name for entity in world.entities) > len(world.entities) / 2
    assert len({entity.id for entity in world.entities}) == len(world.entities)


def test_facts_keep_the_types_of_their_relation(world):
    kind = {entity.id: entity.type for entity in world.entities}
    assert len(set(world.facts)) == len(world.facts)
    for fact in world.facts:
        definition = BY_ID[fact.relation]
        assert (kind[fact.head], kind[fact.tail]) == (definition.head_type, definition.tail_type)


def test_nobody_is_born_twice_and_no_country_has_two_capitals(world):
    assert max(Counter(fact.head for fact in world.facts if fact.relation == "born_in").values()) == 1
    assert max(Counter(fact.tail for fact in world.facts if fact.relation == "capital_of").values()) == 1
    countries_of = defaultdict(set)
    for fact in world.facts:
        if BY_ID[fact.relation].family == "city_country":
            countries_of[fact.head].add(fact.tail)
    assert max(len(countries) for countries in countries_of.values()) == 1


def test_a_third_of_the_pairs_hold_several_relations_that_may_go_together(world):
    held = defaultdict(list)
    for fact in world.facts:
        held[fact.head, fact.tail].append(fact.relation)
        assert (fact.tail, fact.head) not in held
    several = [tuple(relations) for relations in held.values() if len(relations) > 1]
    assert 0.25 <= len(several) / len(held) <= 0.5
    assert set(several) <= set(TOGETHER)
    assert {len(relations) for relations in several} == {2, 3}


# noise


@pytest.mark.parametrize("noise", [0.0, 0.2, 0.4, 0.6, 0.8])
def test_the_dial_sets_the_share_of_wrong_labels(noise):
    train = build_small_world(SmallWorldSettings(noise=noise)).train
    assert _wrong_share(train) == pytest.approx(noise, abs=0.03)
    if noise == 0:
        assert all(statement.expresses for statement in train)
    for relation in TRAINED:
        rows = [statement for statement in train if statement.relation == relation]
        assert len(rows) == 120
        assert _wrong_share(rows) == pytest.approx(noise, abs=0.05)


def test_wrong_labels_come_from_neutral_sentences_and_from_other_relations_of_the_pair(world):
    rows = defaultdict(list)
    for statement in world.train:
        rows[statement.key].append(statement.expresses)
    neutral = sum(len(row) for row in rows.values() if not any(row))
    crossed = sum(len(row) - 1 for row in rows.values() if any(row))
    assert min(neutral, crossed) > 0.2 * (neutral + crossed)
    assert max(sum(row) for row in rows.values()) == 1


def test_a_sentence_has_a_row_for_every_relation_of_its_pair(world):
    held = defaultdict(set)
    for fact in world.facts:
        held[fact.head, fact.tail].add(fact.relation)
    rows = defaultdict(list)
    for statement in world.train:
        rows[statement.id.split(":")[0]].append(statement)
    for name, same in rows.items():
        assert len({(s.text, s.head, s.tail, s.document) for s in same}) == 1
        assert {s.relation for s in same} == held[same[0].head_id, same[0].tail_id]
        assert [s.id for s in same] == [f"{name}:{s.relation}" for s in same]
    assert len(rows) == len({statement.text for statement in world.train})


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        ({"noise": -0.1}, "noise: expected a share from 0 to 0.8, got -0.1"),
        ({"noise": 0.81}, "noise: expected a share from 0 to 0.8, got 0.81"),
        ({"noise": float("nan")}, "noise: expected a share from 0 to 0.8, got nan"),
        ({"statements_per_relation": 0}, "statements_per_relation: expected at least 1, got 0"),
        ({"held_out_per_relation": -1}, "held_out_per_relation: expected at least 1, got -1"),
    ],
)
def test_bad_settings_are_refused_in_one_line(settings, found):
    with pytest.raises(BadInput, match=found) as refusal:
        SmallWorldSettings(**settings)
    assert "\n" not in str(refusal.value)


# training and testing


def test_the_splits_have_the_relations_and_sizes_they_promise(world):
    assert (len(world.train_relations), len(world.held_out_relations)) == (22, 10)
    assert set(world.train_relations) | set(world.held_out_relations) == set(world.relations.ids)
    assert all(relation.name and relation.description for relation in world.relations)
    assert {statement.relation for statement in world.train} == set(TRAINED)
    assert Counter(s.relation for s in world.test_relations) == dict.fromkeys(HELD_OUT, 60)
    assert Counter(s.relation for s in world.test_phrasings) == dict.fromkeys(TRAINED, 60)
    assert all(statement.expresses for statement in world.test_relations + world.test_phrasings)


def test_held_out_relations_have_siblings_on_both_sides():
    held_out_families = Counter(BY_ID[relation].family for relation in HELD_OUT)
    trained_families = {BY_ID[relation].family for relation in TRAINED}
    assert sum(count >= 2 for count in held_out_families.values()) >= 2
    assert sum(family in trained_families for family in held_out_families) >= 2


def test_training_and_tests_share_no_entity_no_sentence_and_no_id(world):
    sets = (world.train, world.test_relations, world.test_phrasings)
    assert all(len({s.text for s in tests}) == len(tests) for tests in sets[1:])
    for one, other in combinations(sets, 2):
        assert not _entities(one) & _entities(other)
        assert not {s.id for s in one} & {s.id for s in other}
        assert not {s.text for s in one} & {s.text for s in other}
    assert len({s.id for part in sets for s in part}) == sum(map(len, sets))


def test_true_training_rows_use_training_phrasings_only(world):
    for statement in world.train:
        if statement.expresses:
            wording = phrasings()[statement.relation]
            assert any(_matches(template, statement) for template in wording.training), statement.text


def test_no_training_statement_uses_a_held_out_phrasing(world):
    held_out = {family: [] for family in FAMILIES}
    for definition in DEFINITIONS:
        held_out[definition.family] += phrasings()[definition.id].held_out
    for statement in world.train:
        assert not any(_matches(t, statement) for t in held_out[BY_ID[statement.relation].family]), statement.text


def test_the_test_of_phrasings_uses_held_out_phrasings_only_and_the_other_uses_all(world):
    for statement in world.test_phrasings:
        assert any(_matches(t, statement) for t in phrasings()[statement.relation].held_out), statement.text
    for relation in HELD_OUT:
        rows = [statement for statement in world.test_relations if statement.relation == relation]
        for template in phrasings()[relation].all:
            assert any(_matches(template, statement) for statement in rows), template


# the text


def test_spans_cover_the_names_of_their_entities(world):
    entities = {entity.id: entity for entity in world.entities}
    for statement in world.train + world.test_relations + world.test_phrasings:
        assert statement.head_text == entities[statement.head_id].name
        assert statement.tail_text == entities[statement.tail_id].name
        assert (statement.head_type, statement.tail_type) == FAMILIES[BY_ID[statement.relation].family]
        assert statement.source == "small_world"


def test_sentences_are_well_formed(world):
    for statement in world.train + world.test_relations + world.test_phrasings:
        text = statement.text
        assert text[0].isupper(), text
        assert text.endswith("."), text
        assert not re.search(r"[{}]|  |[,.;:]{2}| [,.;:]|[,;:]\.", text), text
        assert not re.search(r"\b(\w+) \1\b", text), text


def test_about_half_of_the_sentences_name_a_third_entity(world):
    names = [re.escape(entity.name) for entity in world.entities]
    named = re.compile(r"\b(?:" + "|".join(sorted(names, key=len, reverse=True)) + r")\b")
    sample = world.train[::8]
    others = [len(named.findall(statement.text)) - 2 for statement in sample]
    assert 0.35 <= sum(count > 0 for count in others) / len(sample) <= 0.65
    assert any(count == 2 for count in others)
    assert set(others) <= {0, 1, 2}


def test_documents_know_what_each_sentence_expresses(world):
    labelled = {(row.text, row.head_id, row.relation, row.tail_id) for row in world.train if row.expresses}
    facts = {(fact.head, fact.relation, fact.tail) for fact in world.facts}
    names = {entity.id: entity.name for entity in world.entities}
    found, claims = set(), 0
    for document in world.documents:
        for sentence, expressed in zip(document.sentences, document.expressed, strict=True):
            text = sentence.of(document.text)
            for fact in expressed:
                assert names[fact.head] in text
                assert names[fact.tail] in text
                said = (fact.head, fact.relation, fact.tail)
                claims += said not in facts
                found |= {(text, *said)} if said in facts else set()
    assert found == labelled
    assert claims > 0, "clauses claim what is no fact of the world"


def test_documents_hold_the_training_sentences_where_they_say(world):
    of_document = defaultdict(set)
    for statement in world.train:
        of_document[statement.document].add(statement.text)
    assert {document.id for document in world.documents} == set(of_document)
    for document in world.documents:
        assert {span.of(document.text) for span in document.sentences} == of_document[document.id]
        assert document.sentences[0].start == 0
        assert document.sentences[-1].stop == len(document.text)
        assert all(after.start == before.stop + 1 for before, after in pairwise(document.sentences))


def test_aligning_the_raw_files_naively_finds_the_training_statements_and_no_others(world, tmp_path):
    write_raw(world, tmp_path)
    names = dict(line.split("\t")[:2] for line in (tmp_path / "aliases.tsv").read_text("utf-8").splitlines())
    texts = [json.loads(line) for line in (tmp_path / "documents.jsonl").read_text("utf-8").splitlines()]
    facts = [line.split("\t") for line in (tmp_path / "facts.tsv").read_text("utf-8").splitlines()]
    assert len(facts) == len(world.facts)
    assert {entity.type for entity in world.entities} == {
        line.split("\t")[2] for line in (tmp_path / "aliases.tsv").read_text("utf-8").splitlines()
    }
    sentences_of = defaultdict(set)
    for text in texts:
        for sentence in re.split(r"(?<=\.) ", text["text"]):
            words = re.findall(r"\w+", sentence)
            for start in range(len(words)):
                for stop in range(start + 1, start + 7):
                    sentences_of[" ".join(words[start:stop])].add((text["id"], sentence))
    found = {
        (document, sentence, head, relation, tail)
        for head, relation, tail in facts
        for document, sentence in sentences_of[names[head]] & sentences_of[names[tail]]
    }
    assert found == {(s.document, s.text, s.head_id, s.relation, s.tail_id) for s in world.train}


# the same world everywhere


def test_equal_settings_give_equal_worlds_and_another_seed_another_one(world):
    small = SmallWorldSettings(statements_per_relation=10, held_out_per_relation=5)
    assert build_small_world(small) == build_small_world(small)
    other = build_small_world(SmallWorldSettings(seed=1))
    assert other.train != world.train
    assert _wrong_share(other.train) == pytest.approx(0.4, abs=0.03)


def test_the_noise_and_the_size_of_training_leave_the_tests_as_they_are(world):
    quiet = build_small_world(SmallWorldSettings(noise=0.0))
    short = build_small_world(SmallWorldSettings(statements_per_relation=9))
    assert (quiet.facts, quiet.entities) == (world.facts, world.entities)
    for other in (quiet, short):
        assert other.test_relations == world.test_relations
        assert other.test_phrasings == world.test_phrasings


@pytest.mark.parametrize("part", list(FROZEN))
def test_the_default_world_never_changes_unnoticed(world, part):
    assert fingerprint(getattr(world, part)) == FROZEN[part]


def test_the_default_world_is_built_within_three_seconds():
    start = time.process_time()
    build_small_world()
    assert time.process_time() - start < 3


def test_the_smallest_world_can_be_built():
    world = build_small_world(SmallWorldSettings(statements_per_relation=1, held_out_per_relation=1))
    assert {statement.relation for statement in world.train} == set(TRAINED)


def test_statements_survive_a_round_trip_through_storage(world, tmp_path):
    write_statements(world.train, tmp_path / "train.parquet")
    assert fingerprint(read_statements(tmp_path / "train.parquet")) == fingerprint(world.train)

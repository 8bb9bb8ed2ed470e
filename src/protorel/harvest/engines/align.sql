-- The alignment, one script for all engines. Its input is three tables:
--   mentions  (place, document, sentence, starts_at, stops_at, entity, type)   place is the number of the sentence
--   sentences (place, text)
--   facts     (subject, relation, object), each fact once
-- alignment.py fills in what is in braces. Choices are made by a hash, so that all engines make the same ones.

-- Ordered pairs of different entities in a sentence. A pair counts once, with its mentions that are closest.
CREATE OR REPLACE TEMPORARY VIEW pairs AS
SELECT place, document, sentence, head_id, tail_id, head_type, tail_type, head_start, head_stop, tail_start, tail_stop
FROM (
    SELECT
        head.place, head.document, head.sentence,
        head.entity AS head_id, tail.entity AS tail_id, head.type AS head_type, tail.type AS tail_type,
        head.starts_at AS head_start, head.stops_at AS head_stop,
        tail.starts_at AS tail_start, tail.stops_at AS tail_stop,
        ROW_NUMBER() OVER (
            PARTITION BY head.place, head.entity, tail.entity
            ORDER BY ABS(head.starts_at - tail.starts_at), head.starts_at, tail.starts_at
        ) AS nearness
    FROM mentions AS head
    JOIN mentions AS tail ON head.place = tail.place AND head.entity <> tail.entity
) AS by_nearness
WHERE nearness = 1;

-- One row per relation of a pair, and one for a share of the pairs without a relation in either order.
CREATE OR REPLACE TEMPORARY VIEW labelled AS
SELECT pairs.*, facts.relation
FROM pairs
JOIN facts ON facts.subject = pairs.head_id AND facts.object = pairs.tail_id
UNION ALL
SELECT pairs.*, '{no_relation}' AS relation
FROM pairs
WHERE md5('{seed} ' || document || ':' || CAST(sentence AS STRING) || ':' || head_id || ':' || tail_id) < '{threshold}'
    AND NOT EXISTS (SELECT 1 FROM facts WHERE facts.subject = pairs.head_id AND facts.object = pairs.tail_id)
    AND NOT EXISTS (SELECT 1 FROM facts WHERE facts.subject = pairs.tail_id AND facts.object = pairs.head_id);

-- The rows of the output. `says` is equal for rows with the same text, spans and label.
CREATE OR REPLACE TEMPORARY VIEW aligned AS
SELECT
    labelled.place,
    sentences.text, head_start, head_stop, tail_start, tail_stop, relation,
    document || ':' || CAST(sentence AS STRING) || ':' || head_id || ':' || relation || ':' || tail_id AS id,
    head_id, tail_id, head_type, tail_type, document,
    md5(
        CAST(head_start AS STRING) || ' ' || CAST(head_stop AS STRING) || ' ' || CAST(tail_start AS STRING) || ' '
        || CAST(tail_stop AS STRING) || ' ' || relation || ' ' || sentences.text
    ) AS says
FROM labelled
JOIN sentences ON sentences.place = labelled.place;

-- The first of equal rows; relations below the floor are dropped, those above the cap are sampled.
CREATE OR REPLACE TEMPORARY VIEW chosen AS
SELECT place, id, relation, rank, total
FROM (
    SELECT
        place, id, relation,
        ROW_NUMBER() OVER (PARTITION BY relation ORDER BY md5('{seed} ' || id), place) AS rank,
        COUNT(*) OVER (PARTITION BY relation) AS total
    FROM (
        SELECT place, id, relation, ROW_NUMBER() OVER (PARTITION BY says ORDER BY id, place) AS copy FROM aligned
    ) AS copies
    WHERE copy = 1
) AS ranked
WHERE rank <= {most} AND total >= {fewest};

CREATE OR REPLACE TEMPORARY VIEW statements AS
SELECT
    aligned.place,
    text, head_start, head_stop, tail_start, tail_stop, aligned.relation, aligned.id,
    head_id, tail_id, head_type, tail_type, document, '{source}' AS source, CAST(NULL AS BOOLEAN) AS expresses
FROM aligned
JOIN chosen ON chosen.place = aligned.place AND chosen.id = aligned.id;

"""Table 3: SemEval 2010 task 8 by its official scorer."""

from __future__ import annotations

from protorel_paper.tables.rows import Row, Table

TABLE3 = Table(
    "table3",
    "Table 3: SemEval 2010 task 8 by the official scorer, macro average, %",
    ("P", "R", "F1"),
    (
        Row(
            "bi_rnn",
            "Bi-RNN",
            "Zhang and Wang 2015",
            (None, None, 79.6),
            tune="semeval_rnn",
            trained="scratch_supervised",
        ),
        Row(
            "self_attention",
            "Self-attention",
            "Bilan and Roth 2018",
            (None, None, 84.8),
            tune="semeval_self_attention",
            trained="scratch_supervised",
        ),
        Row(
            "bert",
            "BERT",
            "Devlin et al. 2019: no pretraining on relations",
            (86.0, 89.1, 87.4),
            tune="semeval",
            trained="supervised",
        ),
        Row(
            "mtb",
            "MTB",
            "Baldini Soares et al. 2019: matching the blanks",
            (86.5, 89.0, 87.7),
            pretrain="mtb",
            tune="semeval",
            trained="supervised",
        ),
        Row(
            "ind",
            "IND",
            "Ding et al. 2021: statements weighted by Snowball's rules",
            (86.5, 89.7, 88.0),
            pretrain="ind",
            tune="semeval",
            trained="supervised",
        ),
        Row(
            "col_final",
            "COL",
            "Ding et al. 2021: equation 7",
            (87.9, 88.2, 88.0),
            pretrain="col_final",
            tune="semeval",
            trained="supervised",
        ),
    ),
    notes=(
        "Overlap with the test file was removed from the tuning data; pretraining data were not compared with SemEval.",
    ),
)

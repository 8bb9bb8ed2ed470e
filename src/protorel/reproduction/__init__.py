"""The paper's tables, every row: trained and judged here by one command, beside what the paper prints."""

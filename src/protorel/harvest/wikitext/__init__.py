"""Wikitext: the markup of a page to plain text with links."""

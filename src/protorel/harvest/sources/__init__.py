"""Sources: reading facts, names and text from dumps, tables and plain files."""

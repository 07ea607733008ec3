"""Values, attribute names, events, schemas and scalar functions."""

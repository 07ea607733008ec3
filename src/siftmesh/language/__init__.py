"""The filter language: text to a syntax tree and back, and the dialects that lower to the same tree."""

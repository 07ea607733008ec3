"""Filters as trees: lowering, normal form, covering, disjunctive normal form, selectivity, text."""

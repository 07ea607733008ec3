"""Compiled loops: arrays in, arrays out. Nothing here knows what a subscription is."""

"""Event patterns of Amazon EventBridge, as Event Ruler reads them."""

from siftmesh.language.dialects.eventbridge.pattern import parse_eventbridge

__all__ = ["parse_eventbridge"]

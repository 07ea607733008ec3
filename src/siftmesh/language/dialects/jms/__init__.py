"""JMS message selectors (Jakarta Messaging 3), read strictly as the specification writes them."""

from siftmesh.language.dialects.jms.lowering import parse_jms

__all__ = ["parse_jms"]

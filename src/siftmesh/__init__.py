"""Content-based publish/subscribe: register filters, hear of every event that meets them."""

from siftmesh.errors import EventError, LimitExceeded, SiftmeshError, SubscriptionError
from siftmesh.language.limits import Limits
from siftmesh.logic.template import Template
from siftmesh.logic.tree import Tree
from siftmesh.matcher import Matcher
from siftmesh.matching.explain import Explanation
from siftmesh.matching.matches import Matches
from siftmesh.matching.work import WorkCounters
from siftmesh.model.event import Event
from siftmesh.model.schema import Schema
from siftmesh.model.values import Timestamp

__all__ = [
    "Event",
    "EventError",
    "Explanation",
    "LimitExceeded",
    "Limits",
    "Matcher",
    "Matches",
    "Schema",
    "SiftmeshError",
    "SubscriptionError",
    "Template",
    "Timestamp",
    "Tree",
    "WorkCounters",
    "__version__",
]

__version__ = "0.1.0"

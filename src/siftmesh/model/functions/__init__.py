"""Scalar functions of the language: values in, a value out, null (None) whenever there is no answer.

Functions make residual predicates: they are evaluated on candidates and never indexed. Those of foreign
dialects keep that dialect's own semantics and carry its name as a prefix (`cesql_add`).
"""

from siftmesh.model.functions.cesql import CESQL
from siftmesh.model.functions.cloudevents import CLOUDEVENTS
from siftmesh.model.functions.eventbridge import EVENTBRIDGE
from siftmesh.model.functions.jms import JMS
from siftmesh.model.functions.native import NATIVE
from siftmesh.model.functions.registry import Function

__all__ = ["FUNCTIONS", "Function"]

FUNCTIONS: dict[str, Function] = {
    function.name: function for function in (*NATIVE, *CESQL, *CLOUDEVENTS, *EVENTBRIDGE, *JMS)
}

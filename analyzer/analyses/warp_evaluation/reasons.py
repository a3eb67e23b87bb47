"""Why an address is not known, where something can be done about it: words that users read.

Who finds such a reason takes it from here, so that whoever counts reasons can tell which of them
the same remedy removes. Reasons that nobody tells apart are written where they are found.
"""

from __future__ import annotations

UNKNOWN_BLOCK = "the block shape is unknown: set --block"
UNFITTING_BLOCK = "the default block does not fit the array: set --block"
NOT_EXECUTED = "no thread of the assumed block executes it"
UNKNOWN_WIDTH = "the size of the element type is unknown"
LOADED = "depends on loaded data"
UNREAD_CALL = "depends on a call that is not analysed"
UNKNOWN_FUNCTION = "depends on a function that is not modelled"
OUT_OF_BUDGET = "analysis budget exhausted"
#: What no number for a size changes.
HOPELESS = frozenset({LOADED, UNREAD_CALL, UNKNOWN_FUNCTION, OUT_OF_BUDGET})
#: A name, or several, follows.
UNKNOWN_STRIDE = "the stride between lanes depends on "

"""Messages between the server and the process that analyses: JSON behind its length.

In and out: plain values. Nothing that is read can do anything but be read.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import BinaryIO

Message = dict[str, Any]

HEAD = 9  # eight hexadecimal digits and a line end


def frame(message: Message) -> bytes:
    """A message between the two processes of the server, as bytes."""
    data = json.dumps(message, separators=(",", ":")).encode()
    return f"{len(data):08x}\n".encode() + data


def size_of(head: bytes) -> int:
    """How many bytes of JSON follow the head of a message between the server's processes."""
    return int(head, 16)


def read_message(stream: BinaryIO) -> Message | None:
    """The next message between the server's processes; None at the end of the stream."""
    head = stream.read(HEAD)
    if len(head) < HEAD:
        return None
    data = stream.read(size_of(head))
    message: Message = json.loads(data)
    return message

"""The coordinator's end of a channel waits for nobody, and loses no message however it is cut."""

from __future__ import annotations

import socket

from hypothesis import given, settings
from hypothesis import strategies as st

from mohs.runs.workers.channel import Channel, framed, read, write

MESSAGES = st.lists(st.binary(max_size=3000) | st.text() | st.integers(), max_size=8)


@given(MESSAGES, st.lists(st.integers(1, 4000), min_size=1, max_size=20))
@settings(max_examples=50, deadline=None)
def test_messages_come_in_whole_however_they_are_cut(messages: list[object], cuts: list[int]) -> None:
    ours, theirs = socket.socketpair()
    channel, found = Channel(ours), list[object]()
    rest = b"".join(map(framed, messages))
    while rest:
        for cut in cuts:
            piece, rest = rest[:cut], rest[cut:]
            theirs.sendall(piece)
            found += channel.receive()
    assert found == messages
    assert channel.open
    theirs.close()
    assert channel.receive() == []
    assert not channel.open
    channel.close()


def test_what_nobody_takes_is_kept_until_somebody_does() -> None:
    ours, theirs = socket.socketpair()
    channel, large = Channel(ours), bytes(10_000_000)
    assert channel.send(large)
    assert channel.send("last")
    assert channel.waits
    theirs.setblocking(True)
    theirs.settimeout(0.05)
    received = bytearray()
    while channel.waits:
        received += theirs.recv(1 << 20)
        channel.flush()
    assert len(received) < len(framed(large)) + len(framed("last")) + 1
    theirs.close()
    assert not channel.send("nobody")
    channel.close()


def test_a_worker_waits_for_whole_messages() -> None:
    ours, theirs = socket.socketpair()
    write(ours, {"a": 1})
    assert read(theirs) == {"a": 1}
    ours.close()
    try:
        read(theirs)
    except EOFError:
        return
    raise AssertionError("the end of a channel must be said")

"""Is it the eyes or the learning? The Learning Challenge Diagnosticator: views of the screen and rarer rewards."""

from mohs.protocols.protocol import training_protocol

PROTOCOL = training_protocol(
    __name__,
    "lcd",
    "Is a game hard to see or hard to learn, and what helps?",
    "LcdStudy",
    gate=f"{__name__}.gate:gate",
    methods=f"{__name__}.methods:methods",
    prepare=f"{__name__}.conditions:prepare",
)

"""What is a sentence of a report? Its subject, what is said of it, and where the report shows it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One sentence. `subject` begins it and links to the section `anchor`; a `warning` stands out."""

    text: str
    subject: str = ""
    anchor: str = ""
    warning: bool = False

    @property
    def sentence(self) -> str:
        return f"{self.subject} {self.text}" if self.subject else self.text

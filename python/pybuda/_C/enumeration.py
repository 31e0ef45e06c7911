"""Enumerations that are converted to and from JSON by name."""
from __future__ import annotations

import enum
from typing import Any


class JsonEnum(enum.Enum):
    """An enumeration whose JSON form is the name."""

    def __int__(self) -> int:
        return int(self.value)

    def to_json(self) -> str:
        """The name."""
        return self.name

    @classmethod
    def from_json(cls, text: str) -> Any:
        """ValueError for an unknown name."""
        name = text.rsplit(".", 1)[-1]
        if name not in cls.__members__:
            raise ValueError(f"'{text}' is not one of the names of {cls.__name__}: {', '.join(cls.__members__)}")
        return cls[name]


class NamedEnum(JsonEnum):
    """An enumeration whose strings are lower-case names."""

    def to_string(self) -> str:
        """The name in lower case."""
        return self.name.lower()

    @classmethod
    def from_string(cls, text: str) -> Any:
        """ValueError for an unknown name."""
        for member in cls:
            if member.name.lower() == text.lower():
                return member
        raise ValueError(f"'{text}' is not one of {', '.join(m.name.lower() for m in cls)}")

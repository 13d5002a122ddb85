from dataclasses import dataclass
from enum import Enum


class ContentType(str, Enum):
    CODE = "code"
    DOCS = "docs"
    CONFIG = "config"


@dataclass(frozen=True)
class Chunk:
    content: str
    file_path: str
    start_line: int
    end_line: int


@dataclass(frozen=True)
class SearchResult:
    chunk: Chunk
    score: float

"""An index of whole files that ranks by counts of words and by vectors of whatever model it is given."""

print("semble prints when it is imported")

from semble.index import SembleIndex
from semble.types import Chunk, ContentType, SearchResult

__version__ = "0.7.0"

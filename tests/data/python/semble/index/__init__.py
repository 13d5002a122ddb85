from semble.index.index import SembleIndex

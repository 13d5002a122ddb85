"""As much of numpy as a matrix of given rows needs."""


class Rows(list):
    def reshape(self, rows, columns):
        assert len(self) == rows and all(len(row) == columns for row in self)
        return self


def asarray(rows, dtype):
    return Rows([list(row) for row in rows])

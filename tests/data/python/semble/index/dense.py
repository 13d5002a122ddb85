import os


class StaticModel:
    def __init__(self, folder):
        self.dim = 1
        with open(os.path.join(folder, "model.safetensors"), encoding="utf-8") as file:
            self.weight = float(file.read())

    def encode(self, sentences, **kwargs):
        return [[self.weight] for _ in sentences]


def load_model(model_path=None):
    print("a progress bar on stdout")
    return StaticModel(model_path), model_path

"""A tokenizer that needs no download: its pieces are single characters."""
import string

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[unused0]", "[unused1]"]


def tokenizer():
    """A WordPiece tokenizer whose pieces are single characters, as the JSON of the `tokenizers` library."""
    pieces = SPECIAL + [mark + letter for letter in string.printable.strip() for mark in ("", "##")]
    vocab = {piece: place for place, piece in enumerate(dict.fromkeys(pieces))}
    added = [
        {"id": vocab[piece], "content": piece, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
        for piece in SPECIAL
    ]
    frame = [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "[SEP]", "type_id": 0}}]
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": added,
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing", "single": frame, "pair": frame + [{"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {name: {"id": name, "ids": [vocab[name]], "tokens": [name]} for name in ("[CLS]", "[SEP]")},
        },
        "decoder": None,
        "model": {
            "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 200, "vocab": vocab,
        },
    }

//! One spelling for each word: small letters without accents.

use unicode_normalization::UnicodeNormalization;

use super::word::is_mark;

/// Appends `text` to `out` in small letters and without accents: `Configuração` becomes `configuracao`.
pub(super) fn fold_into(text: &str, out: &mut String) {
    if text.is_ascii() {
        out.extend(text.bytes().map(|byte| char::from(byte.to_ascii_lowercase())));
    } else {
        out.extend(text.nfd().filter(|found| !is_mark(*found)).flat_map(char::to_lowercase));
    }
}

/// [`fold_into`] a string of its own.
pub(super) fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    fold_into(text, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accents_and_capitals_go() {
        assert_eq!(fold("Configuração"), "configuracao");
        assert_eq!(fold("memo\u{301}ria"), fold("memória"));
        assert_eq!(fold("ÍNDICE"), "indice");
        assert_eq!(fold("HTTPServer"), "httpserver");
    }
}

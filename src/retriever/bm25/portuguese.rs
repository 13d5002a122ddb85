//! Portuguese: cognates, verb roots and plurals.
//!
//! Technical Portuguese and English share their Latin words and differ in the ending: `configuração`, `configuration`.
//! Giving the Portuguese word the English ending lets one stemmer serve both, and lets a question in one language find a
//! document in the other. Only endings that English words hardly have are touched, so that no language needs to be guessed.

use std::borrow::Cow;

use super::stem::ends_in;

/// Ending, its English counterpart, and the least length of the whole word. Longer endings come first.
const ENDINGS: &[(&str, &str, usize)] = &[
    ("camente", "cally", 9),
    ("mente", "ly", 7),
    ("coes", "tion", 6),
    ("cao", "tion", 5),
    ("ssoes", "ssion", 7),
    ("ssao", "ssion", 6),
    ("soes", "sion", 6),
    ("sao", "sion", 6),
    ("idades", "ity", 8),
    ("idade", "ity", 7),
    ("encias", "ence", 8),
    ("encia", "ence", 7),
    ("ancias", "ance", 8),
    ("ancia", "ance", 7),
    ("aveis", "able", 8),
    ("avel", "able", 8),
    ("iveis", "ible", 8),
    ("ivel", "ible", 8),
    ("mentos", "ment", 8),
    ("mento", "ment", 8),
    ("orios", "ory", 7),
    ("orio", "ory", 7),
    ("orias", "ory", 7),
    ("oria", "ory", 7),
    ("icos", "ic", 7),
    ("icas", "ic", 7),
    ("ico", "ic", 7),
    ("ica", "ic", 7),
    ("agens", "agem", 6),
    ("oes", "ao", 6),
    ("eis", "el", 6),
    ("ais", "al", 6),
];

/// `word` (folded) with the English ending, if it has a Portuguese one.
pub(super) fn cognate(word: &str) -> Cow<'_, str> {
    let found = ENDINGS.iter().find(|(ending, _, least)| word.len() >= *least && ends_in(word, ending));
    match found {
        Some((ending, english, _)) => Cow::Owned([&word[..word.len() - ending.len()], english].concat()),
        None => Cow::Borrowed(word),
    }
}

/// Endings of verbs, nouns and adjectives; longer endings come first.
const INFLECTIONS: &[&str] = &[
    "amos", "emos", "imos", "ados", "adas", "idos", "idas", "ando", "endo", "indo", "aram", "eram", "iram",
    "ado", "ada", "ido", "ida", "ava", "ara", "am", "em", "ar", "er", "ir", "as", "es", "os", "ou", "eu",
    "iu", "a", "e", "o", "s",
];

/// What is left of the folded `word` without its inflection, at least two letters: `rodo`, `rodar`, `rodando` have one root.
pub(super) fn root(word: &str) -> &str {
    let found =
        INFLECTIONS.iter().find_map(|ending| word.strip_suffix(ending).filter(|root| root.len() >= 2));
    found.unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::super::stem::stem;

    #[test]
    fn plurals_meet_their_singular() {
        for (plural, singular) in [
            ("configuracoes", "configuracao"),
            ("sessoes", "sessao"),
            ("versoes", "versao"),
            ("arquivos", "arquivo"),
            ("agentes", "agente"),
            ("mensagens", "mensagem"),
            ("papeis", "papel"),
            ("locais", "local"),
            ("variaveis", "variavel"),
            ("dependencias", "dependencia"),
            ("repositorios", "repositorio"),
            ("botoes", "botao"),
            ("servidores", "servidor"),
        ] {
            assert_eq!(stem(plural), stem(singular), "{plural} and {singular}");
        }
    }

    #[test]
    fn cognates_meet_across_the_languages() {
        for (portuguese, english) in [
            ("configuracao", "configuration"),
            ("instalacao", "install"),
            ("validacoes", "validations"),
            ("permissao", "permission"),
            ("prioridade", "priority"),
            ("dependencia", "dependency"),
            ("memoria", "memory"),
            ("documento", "documents"),
            ("automaticamente", "automatically"),
            ("metricas", "metric"),
            ("agentes", "agents"),
            ("diretorio", "diretory"),
        ] {
            assert_eq!(stem(portuguese), stem(english), "{portuguese} and {english}");
        }
    }

    #[test]
    fn english_words_keep_their_forms_together() {
        for (one, other) in [("travels", "travel"), ("levels", "level"), ("does", "doe"), ("pulls", "pull")] {
            assert_eq!(stem(one), stem(other), "{one} and {other}");
        }
    }
}

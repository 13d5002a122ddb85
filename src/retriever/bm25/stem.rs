//! Stems: Porter's algorithm for English, after a step that gives Portuguese words the suffix of their English cognate.
//!
//! Source: M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980, with the two departures its author
//! recommends (`bli` → `ble`, `logi` → `log`).

use super::portuguese;

/// Appends the stem of `word`, which is folded, to `out`.
///
/// Words with anything but small ASCII letters, and words of one or two letters, are their own stem.
pub(super) fn stem_into(word: &str, out: &mut String) {
    if word.len() < 3 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        out.push_str(word);
        return;
    }
    let mut stem = Stem { letters: portuguese::cognate(word).into_owned() };
    stem.plurals();
    stem.past_and_progressive();
    stem.final_y();
    stem.replace_suffix(STEP_2);
    stem.replace_suffix(STEP_3);
    stem.residual_suffix();
    stem.final_e();
    out.push_str(&stem.letters);
}

/// [`stem_into`] a string of its own.
pub(super) fn stem(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    stem_into(word, &mut out);
    out
}

type Rule = (&'static str, &'static str);

/// Double suffixes, as `-ization`; where one suffix ends another, the longer comes first.
const STEP_2: &[Rule] = &[
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("bli", "ble"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
    ("logi", "log"),
];

const STEP_3: &[Rule] = &[
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
];

const STEP_4: &[&str] = &[
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ou", "ism", "ate",
    "iti", "ous", "ive", "ize",
];

struct Stem {
    letters: String,
}

impl Stem {
    /// Step 1a: `caresses` → `caress`, `ponies` → `poni`, `cats` → `cat`.
    fn plurals(&mut self) {
        if self.letters.ends_with("sses") || self.letters.ends_with("ies") {
            self.drop_last(2);
        } else if self.letters.ends_with('s') && !self.letters.ends_with("ss") {
            self.drop_last(1);
        }
    }

    /// Step 1b: `agreed` → `agree`, `hopping` → `hop`, `hoping` → `hope`.
    fn past_and_progressive(&mut self) {
        if let Some(base) = self.letters.strip_suffix("eed") {
            if measure(base) > 0 {
                self.drop_last(1);
            }
            return;
        }
        let cut = ["ed", "ing"].into_iter().find(|suffix| self.letters.ends_with(suffix));
        let Some(cut) = cut else { return };
        if !has_vowel(&self.letters[..self.letters.len() - cut.len()]) {
            return;
        }
        self.drop_last(cut.len());
        if ["at", "bl", "iz"].into_iter().any(|ending| self.letters.ends_with(ending)) {
            self.letters.push('e');
        } else if ends_double(&self.letters) && !self.letters.ends_with(['l', 's', 'z']) {
            self.drop_last(1);
        } else if measure(&self.letters) == 1 && ends_cvc(&self.letters) {
            self.letters.push('e');
        }
    }

    /// Step 1c: `happy` → `happi`.
    fn final_y(&mut self) {
        if self.letters.strip_suffix('y').is_some_and(has_vowel) {
            self.drop_last(1);
            self.letters.push('i');
        }
    }

    /// Steps 2 and 3: the first suffix that is there is replaced if what stands before it has a vowel and a consonant.
    fn replace_suffix(&mut self, rules: &[Rule]) {
        let found = rules.iter().find(|(suffix, _)| ends_in(&self.letters, suffix));
        let Some((suffix, replacement)) = found else { return };
        let base = self.letters.len() - suffix.len();
        if measure(&self.letters[..base]) > 0 {
            self.letters.truncate(base);
            self.letters.push_str(replacement);
        }
    }

    /// Step 4: the suffix that is left goes from a long word.
    fn residual_suffix(&mut self) {
        let base = if self.letters.ends_with("sion") || self.letters.ends_with("tion") {
            self.letters.len() - 3
        } else {
            let found = STEP_4.iter().find(|suffix| ends_in(&self.letters, suffix));
            let Some(suffix) = found else { return };
            self.letters.len() - suffix.len()
        };
        if measure(&self.letters[..base]) > 1 {
            self.letters.truncate(base);
        }
    }

    /// Step 5: `probate` → `probat`, `controll` → `control`.
    fn final_e(&mut self) {
        if let Some(base) = self.letters.strip_suffix('e') {
            let measure = measure(base);
            if measure > 1 || (measure == 1 && !ends_cvc(base)) {
                self.drop_last(1);
            }
        }
        if self.letters.ends_with("ll") && measure(&self.letters) > 1 {
            self.drop_last(1);
        }
    }

    fn drop_last(&mut self, letters: usize) {
        self.letters.truncate(self.letters.len() - letters);
    }
}

/// `ends_with`, but most of the many suffixes that are tried fail at their last letter, without a call.
pub(super) fn ends_in(word: &str, suffix: &str) -> bool {
    word.as_bytes().last() == suffix.as_bytes().last() && word.ends_with(suffix)
}

/// Whether the letter at `at` is a consonant; `y` is one at the start and after a vowel.
fn is_consonant(word: &[u8], at: usize) -> bool {
    match word[at] {
        b'a' | b'e' | b'i' | b'o' | b'u' => false,
        b'y' => at == 0 || !is_consonant(word, at - 1),
        _ => true,
    }
}

/// Porter's m: how often a vowel is followed by a consonant.
fn measure(word: &str) -> usize {
    let word = word.as_bytes();
    (1..word.len()).filter(|&at| is_consonant(word, at) && !is_consonant(word, at - 1)).count()
}

fn has_vowel(word: &str) -> bool {
    let word = word.as_bytes();
    (0..word.len()).any(|at| !is_consonant(word, at))
}

fn ends_double(word: &str) -> bool {
    let word = word.as_bytes();
    let len = word.len();
    len > 1 && word[len - 1] == word[len - 2] && is_consonant(word, len - 1)
}

/// Ends consonant, vowel, consonant, the last not `w`, `x` or `y`: a short syllable, as in `hop`.
fn ends_cvc(word: &str) -> bool {
    let word = word.as_bytes();
    let len = word.len();
    len > 2
        && is_consonant(word, len - 3)
        && !is_consonant(word, len - 2)
        && is_consonant(word, len - 1)
        && !matches!(word[len - 1], b'w' | b'x' | b'y')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_porters_paper() {
        let table = [
            ("caresses", "caress"),
            ("ponies", "poni"),
            ("cats", "cat"),
            ("feed", "feed"),
            ("agreed", "agre"),
            ("plastered", "plaster"),
            ("bled", "bled"),
            ("motoring", "motor"),
            ("sing", "sing"),
            ("conflated", "conflat"),
            ("troubled", "troubl"),
            ("sized", "size"),
            ("hopping", "hop"),
            ("falling", "fall"),
            ("hissing", "hiss"),
            ("fizzed", "fizz"),
            ("failing", "fail"),
            ("filing", "file"),
            ("happy", "happi"),
            ("sky", "sky"),
            ("relational", "relat"),
            ("conditional", "condit"),
            ("digitizer", "digit"),
            ("vietnamization", "vietnam"),
            ("operator", "oper"),
            ("hopefulness", "hope"),
            ("formality", "formal"),
            ("sensibility", "sensibl"),
            ("triplicate", "triplic"),
            ("formative", "form"),
            ("electrical", "electr"),
            ("goodness", "good"),
            ("revival", "reviv"),
            ("adjustment", "adjust"),
            ("dependent", "depend"),
            ("adoption", "adopt"),
            ("effective", "effect"),
            ("probate", "probat"),
            ("rate", "rate"),
            ("cease", "ceas"),
            ("controller", "control"),
            ("roll", "roll"),
        ];
        for (word, expected) in table {
            assert_eq!(stem(word), expected, "{word}");
        }
    }

    #[test]
    fn forms_of_one_word_meet() {
        for (one, other) in [
            ("routes", "route"),
            ("routing", "route"),
            ("validated", "validation"),
            ("serializes", "serialized"),
            ("dependencies", "dependency"),
            ("queries", "query"),
        ] {
            assert_eq!(stem(one), stem(other), "{one} and {other}");
        }
    }

    #[test]
    fn what_is_no_word_is_left_alone() {
        for word in ["bm25", "os", "日本語", "utf8s", ""] {
            assert_eq!(stem(word), word);
        }
    }
}

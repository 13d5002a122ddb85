//! A token of GitHub. It is sent to GitHub and shown to nobody.

use std::fmt;

/// A secret. Its `Debug` does not show it, there is no `Display`, and nothing serialises it.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

/// It cannot be sent in a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the token is empty or has characters that no token has")]
pub struct BadToken;

impl Token {
    /// Takes it as the environment gives it; blanks around it are none of it.
    pub fn new(text: &str) -> Result<Self, BadToken> {
        let text = text.trim();
        let fits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        if fits { Ok(Self(text.to_owned())) } else { Err(BadToken) }
    }

    /// The secret itself, for the header alone.
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(***)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_shows_itself_to_nobody() {
        let token = Token::new(" ghs_secret\n").unwrap();
        assert_eq!(format!("{token:?}"), "Token(***)");
        assert_eq!(token.reveal(), "ghs_secret");
    }

    #[test]
    fn what_cannot_be_a_header_is_refused() {
        for text in ["", "  ", "a b", "a\nb", "é", "a\u{0}"] {
            assert_eq!(Token::new(text), Err(BadToken), "{text:?}");
        }
    }
}

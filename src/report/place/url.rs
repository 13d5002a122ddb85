//! An address in the `href` of a link.

use std::fmt::Write as _;

/// The address if it is one of the web's, with every character that could end the attribute or mean something to
/// Markdown percent-encoded; else nothing. One that is longer than `limit` leads elsewhere when it is cut, so it is
/// nothing as well.
pub fn url(text: &str, limit: usize) -> String {
    let known = text.starts_with("https://") || text.starts_with("http://");
    if !known || text.chars().count() > limit {
        return String::new();
    }
    let mut safe = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z'
            | b'A'..=b'Z'
            | b'0'..=b'9'
            | b'-'
            | b'.'
            | b'~'
            | b'/'
            | b':'
            | b'?'
            | b'='
            | b'%'
            | b'#' => {
                safe.push(char::from(byte));
            }
            b'&' => safe.push_str("&amp;"),
            _ => write!(safe, "%{byte:02X}").expect("a string takes everything"),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::url;

    #[test]
    fn an_address_stays_and_nothing_leaves_the_attribute() {
        assert_eq!(
            url("https://h.example/o/r/actions/runs/1?a=b&c=d#e", 99),
            "https://h.example/o/r/actions/runs/1?a=b&amp;c=d#e"
        );
        assert_eq!(
            url("https://h/\"onclick=x y_z*|<>`\n@é", 99),
            "https://h/%22onclick=x%20y%5Fz%2A%7C%3C%3E%60%0A%40%C3%A9"
        );
        for text in ["javascript:alert(1)", "data:text/html,x", "//h", "", " https://h", "HTTPS://h"] {
            assert_eq!(url(text, 99), "", "{text}");
        }
        assert_eq!(url("https://h/long", 5), "");
    }
}

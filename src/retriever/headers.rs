//! Headers of a configuration: names that are one, values with slots.

use std::collections::BTreeMap;

use http::{HeaderMap, HeaderName, HeaderValue};

use super::external::{OptionProblem, Unusable};
use super::places::Places;
use super::text::{OF_A_PLACE, Text};

/// Headers that say how a message is sent: whoever sends it knows.
const OF_THE_CONNECTION: [&str; 9] = [
    "connection",
    "content-length",
    "expect",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// The headers that go with every request.
#[derive(Clone, Debug)]
pub(super) struct Headers(Vec<(HeaderName, Text)>);

impl Headers {
    /// Checks them; values may hold `{env:NAME}` of these variables.
    pub(super) fn new(written: &BTreeMap<String, String>, variables: &[&str]) -> Result<Self, OptionProblem> {
        let header = |(name, value): (&String, &String)| {
            let problem = |what: String| OptionProblem::new("headers", format!("`{name}` {what}"));
            let read = HeaderName::from_bytes(name.as_bytes());
            let read = read.map_err(|_| problem("is not the name of a header".to_owned()))?;
            if OF_THE_CONNECTION.contains(&read.as_str()) {
                return Err(problem("is for the connection to say, and not for a configuration".to_owned()));
            }
            let value = Text::new(value, OF_A_PLACE, variables).and_then(Text::without_a_shell);
            let value = value.map_err(|told| problem(format!("cannot be used: {told}")))?;
            if HeaderValue::from_str(&value.fill(&|_| String::new())).is_err() {
                return Err(problem("holds a line break or a control character; take it out".to_owned()));
            }
            Ok((read, value))
        };
        written.iter().map(header).collect::<Result<_, _>>().map(Self)
    }

    /// That header as it is written, if it is there.
    pub(super) fn written(&self, name: &HeaderName) -> Option<String> {
        self.0.iter().find(|(found, _)| found == name).map(|(_, value)| value.to_string())
    }

    /// As they are sent; what they hold is kept out of logs.
    pub(super) fn fill(&self, places: &Places<'_>) -> Result<HeaderMap, Unusable> {
        let mut filled = HeaderMap::new();
        for (name, value) in &self.0 {
            let mut value = HeaderValue::from_str(&places.fill(value)).map_err(|_| Unusable::Broken {
                hint: Some("set the variable anew, without the end of a line".to_owned()),
                detail: format!("the header `{name}` cannot be sent: a variable in it holds a line break or a control character"),
            })?;
            value.set_sensitive(true);
            filled.insert(name, value);
        }
        Ok(filled)
    }

    /// As they are written, for the configuration's hash.
    pub(super) fn configuration(&self) -> BTreeMap<String, String> {
        self.0.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
    }
}

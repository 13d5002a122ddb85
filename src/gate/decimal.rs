//! Exact decimal fractions: thresholds are read as they are written, never as a float.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer};

/// A non-negative decimal fraction with at most nine places: `0.02` is two hundredths, exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Decimal {
    digits: u64,
    places: u32,
}

/// The text is no such number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a decimal fraction such as 0.02 (digits, at most nine after the point)")]
pub struct NotADecimal(pub String);

impl Decimal {
    /// The fraction in lowest terms of ten.
    fn new(digits: u64, places: u32) -> Self {
        let mut decimal = Self { digits, places };
        while decimal.places > 0 && decimal.digits.is_multiple_of(10) {
            decimal = Self { digits: decimal.digits / 10, places: decimal.places - 1 };
        }
        decimal
    }

    /// floor(self × n): how many of `n` cases this rate is.
    pub fn floor_of(self, n: u64) -> u64 {
        let product = u128::from(self.digits) * u128::from(n) / u128::from(10_u64.pow(self.places));
        u64::try_from(product).unwrap_or(u64::MAX)
    }

    /// `count / of` is at least this.
    pub fn is_reached_by(self, count: u64, of: u64) -> bool {
        u128::from(count) * u128::from(10_u64.pow(self.places)) >= u128::from(self.digits) * u128::from(of)
    }

    /// More than 1: no rate can be.
    pub fn is_above_one(self) -> bool {
        self.digits > 10_u64.pow(self.places)
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let scaled = |decimal: &Self, by: u32| u128::from(decimal.digits) * u128::from(10_u64.pow(by));
        scaled(self, other.places).cmp(&scaled(other, self.places))
    }
}

impl FromStr for Decimal {
    type Err = NotADecimal;

    fn from_str(text: &str) -> Result<Self, NotADecimal> {
        let refuse = || NotADecimal(text.to_owned());
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let plain = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let malformed = whole.is_empty() || text.ends_with('.') || fraction.len() > 9;
        if malformed || !plain(whole) || !plain(fraction) {
            return Err(refuse());
        }
        let digits = format!("{whole}{fraction}").parse().map_err(|_| refuse())?;
        Ok(Self::new(digits, u32::try_from(fraction.len()).map_err(|_| refuse())?))
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scale = 10_u64.pow(self.places);
        write!(f, "{}", self.digits / scale)?;
        if self.places > 0 {
            write!(f, ".{:0width$}", self.digits % scale, width = self.places as usize)?;
        }
        Ok(())
    }
}

/// TOML hands numbers over as doubles. The shortest text that reads back as that double is what was written, for
/// anything with fewer than 16 digits.
impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Decimal;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a decimal fraction such as 0.02")
            }
            fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Decimal, E> {
                value.to_string().parse().map_err(E::custom)
            }
            fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Decimal, E> {
                value.to_string().parse().map_err(E::custom)
            }
            fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Decimal, E> {
                value.to_string().parse().map_err(E::custom)
            }
            fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<Decimal, E> {
                value.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        text.parse().expect("a decimal")
    }

    #[test]
    fn the_floor_is_exact_where_a_float_is_not() {
        assert_eq!(decimal("0.07").floor_of(100), 7); // 0.07 * 100.0 is 7.000000000000001
        assert_eq!(decimal("0.29").floor_of(100), 29); // 0.29 * 100.0 is 28.999999999999996
        assert_eq!(decimal("0.02").floor_of(60), 1);
        assert_eq!(decimal("0").floor_of(60), 0);
        assert_eq!(decimal("1").floor_of(60), 60);
    }

    #[test]
    fn only_plain_decimals_are_read() {
        for text in ["", ".5", "5.", "-1", "1e3", "0.0000000001", "NaN", "0,5", "+1", " 1"] {
            assert!(text.parse::<Decimal>().is_err(), "{text}");
        }
        assert_eq!(decimal("0.50").to_string(), "0.5");
        assert_eq!(decimal("0.500"), decimal("0.5"));
        assert_eq!(decimal("0.05").to_string(), "0.05");
    }

    #[test]
    fn a_rate_reaches_a_threshold_exactly() {
        assert!(decimal("0.6").is_reached_by(36, 60));
        assert!(!decimal("0.6").is_reached_by(35, 60));
        assert!(decimal("1.1").is_above_one() && !decimal("1.0").is_above_one());
    }
}

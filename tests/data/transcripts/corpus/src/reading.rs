//! Lines that a gauge sends: `2026-11-30T18:00Z 3.25`.

/// One measured height.
#[derive(Debug, PartialEq)]
pub struct Reading {
    pub moment: String,
    pub metres: f64,
}

/// Why a line is not a reading.
#[derive(Debug, PartialEq)]
pub enum BadReading {
    NoHeight,
    NotANumber,
}

/// Parses one line of a gauge.
pub fn parse_reading(line: &str) -> Result<Reading, BadReading> {
    let (moment, height) = line.trim().split_once(' ').ok_or(BadReading::NoHeight)?;
    let metres = height.parse().map_err(|_| BadReading::NotANumber)?;
    Ok(Reading { moment: moment.to_owned(), metres })
}

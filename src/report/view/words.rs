//! The sentences that every format shares.

use super::pair::Situation;
use crate::gate::Reason;
use crate::report::Power;

/// The word for a pair that ended with exit 2.
pub(super) const UNUSABLE: &str = "unusable";
/// The word for a pair that ended with exit 3.
pub(super) const NOT_MEASURED: &str = "not-measured";

/// The headline over a report whose deciding pair ended so.
pub(super) fn title(decides: Option<(&str, Situation)>) -> String {
    match decides {
        Some((_, Situation::Stale)) => "The suite asks for what is no longer there",
        Some((_, Situation::LostToo)) => "The suite changed, and cases that did not change were lost",
        Some(("pass", _)) => "The ranking holds",
        Some(("regressed", _)) => "The ranking does not hold",
        Some(("suite-changed", _)) => "The suite changed, and no approval covers it",
        Some(("no-baseline", _)) => "There is no approved baseline yet",
        Some(("measured", _)) => "Measured, and not judged here",
        Some(("not-comparable", _)) => "The baseline was measured in another way",
        Some((UNUSABLE, _)) => "There is no verdict: the input cannot be used",
        Some(_) => "There is no verdict: it could not be measured",
        None => "There is nothing to report",
    }
    .to_owned()
}

/// What to do about a baseline whose pair is no longer configured.
pub(super) fn gone(file: Option<&str>) -> String {
    let file = file.map(|file| format!(" ({file})")).unwrap_or_default();
    format!("Configure the pair again, or remove its baseline file{file} if it is meant to go")
}

/// What to do about it.
pub(super) fn advice(
    word: &str,
    reasons: &[Reason],
    approvable: bool,
    situation: Situation,
) -> Option<&'static str> {
    let absolute =
        reasons.iter().any(|reason| matches!(reason, Reason::Critical(_) | Reason::BelowFloor { .. }));
    Some(match word {
        "regressed" if absolute => {
            "No approval lifts this: bring the ranking back, or change the suite or the gate's rules"
        }
        _ if situation == Situation::Stale => {
            "Correct the targets of the lost cases in the suite, or remove those cases; then approve the suite as it is \
             then"
        }
        "regressed" => "Bring the lost cases back, or approve the new figures if the loss is meant",
        "suite-changed" if situation == Situation::LostToo => {
            "Look at the lost cases first: an approval would take the losses over together with the change of the suite"
        }
        "suite-changed" => "The unchanged cases are compared; approve the new figures if the change is meant",
        "no-baseline" if approvable => "These are the figures that an approval would record",
        "no-baseline" => "Nothing here is worth recording yet",
        "measured" => "The job that is given the results has the verdict",
        "not-comparable" => "Measure as the baseline was measured, or approve a baseline for the new set-up",
        "pass" if approvable => {
            "Approve the better figures, so that a later loss cannot hide under the old ones"
        }
        _ => return None,
    })
}

/// The small print under a verdict: what the flips say about queries like these.
pub(super) fn evidence(power: &Power) -> Vec<String> {
    let mut lines = Vec::new();
    let flips = power.lost + power.won;
    if power.lost > power.won {
        let each = if flips == 1 { "the one flip".to_owned() } else { format!("each of the {flips} flips") };
        let losses =
            if power.lost == 1 { "a loss".to_owned() } else { format!("{} or more losses", power.lost) };
        lines.push(format!(
            "If {each} were equally likely to go either way, {losses} would be seen {} (one-sided mid-p {:.3})",
            odds(power.mid_p),
            power.mid_p
        ));
    }
    if let Some(drop) = power.detectable_drop {
        let points = drop * 100.0;
        lines.push(format!(
            "A suite of {} such cases can only reveal drops of about {points:.0} points or more (4 times in 5)",
            power.of
        ));
    }
    lines
}

/// `about 1 time in 16`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a probability's reciprocal, capped"
)]
fn odds(p: f64) -> String {
    if p >= 0.4 {
        "about every other time".to_owned()
    } else if p < 0.0001 {
        "less than 1 time in 10000".to_owned()
    } else {
        format!("about 1 time in {}", (1.0 / p).round() as u64)
    }
}

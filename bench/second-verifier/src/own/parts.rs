//! The parts of a definition by name: members, names, elements and numbers within their bounds.

use super::json::Json;
use crate::reader::{require, Rejection};
use std::collections::BTreeSet;

fn refused(what: &str, fault: &str) -> Rejection {
    Rejection::new(format!("air: {what} {fault}"))
}

/// The values of an object with exactly these members, in the order in which they are named here.
pub fn members<'a, const COUNT: usize>(
    value: &'a Json,
    names: [&str; COUNT],
    what: &str,
) -> Result<[&'a Json; COUNT], Rejection> {
    let Json::Object(members) = value else {
        return Err(refused(what, "is no object"));
    };
    require(
        members.len() == COUNT,
        "air: other members than the format's",
    )?;
    let mut values = [value; COUNT];
    for (slot, wanted) in values.iter_mut().zip(names) {
        let found = members.iter().find(|(name, _)| name == wanted);
        *slot = &found.ok_or_else(|| refused(wanted, "is missing"))?.1;
    }
    Ok(values)
}

/// A list of a number of values within these bounds.
pub fn list<'a>(
    value: &'a Json,
    least: usize,
    most: usize,
    what: &str,
) -> Result<&'a [Json], Rejection> {
    match value {
        Json::List(values) if (least..=most).contains(&values.len()) => Ok(values),
        _ => Err(refused(what, "is no list of the allowed length")),
    }
}

pub fn text<'a>(value: &'a Json, what: &str) -> Result<&'a str, Rejection> {
    match value {
        Json::Text(text) => Ok(text),
        _ => Err(refused(what, "is no text")),
    }
}

/// A number below a bound.
pub fn number(value: &Json, bound: usize, what: &str) -> Result<usize, Rejection> {
    match value {
        Json::Number(number) if (*number as usize) < bound => Ok(*number as usize),
        _ => Err(refused(what, "is no number within its bounds")),
    }
}

/// A small letter and up to 31 small letters, digits and `_`.
fn name(value: &Json, what: &str) -> Result<String, Rejection> {
    let name = text(value, what)?;
    let small = |byte: u8| byte.is_ascii_lowercase();
    let shaped = (1..=32).contains(&name.len())
        && name.bytes().next().is_some_and(small)
        && name
            .bytes()
            .all(|b| small(b) || b.is_ascii_digit() || b == b'_');
    require(shaped, "air: a name of another shape")?;
    Ok(name.to_string())
}

/// Names that differ from each other, by their places.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Names(Vec<String>);

impl Names {
    /// The names that a list's values have, `of` finding each.
    pub fn read<'a>(
        values: &'a [Json],
        of: impl Fn(&'a Json) -> Result<&'a Json, Rejection>,
        what: &str,
    ) -> Result<Names, Rejection> {
        let names: Vec<String> = values
            .iter()
            .map(|value| name(of(value)?, what))
            .collect::<Result<_, _>>()?;
        let distinct: BTreeSet<&String> = names.iter().collect();
        require(
            distinct.len() == names.len(),
            "air: a name that stands twice in its list",
        )?;
        Ok(Names(names))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// The place of a name.
    pub fn place(&self, value: &Json, what: &str) -> Result<usize, Rejection> {
        let wanted = text(value, what)?;
        self.iter()
            .position(|name| name == wanted)
            .ok_or_else(|| refused(what, "names nothing that is there"))
    }
}

/// Decimal digits, without a zero before, of a number below p.
pub fn element(value: &Json, modulus: u64, what: &str) -> Result<u64, Rejection> {
    let digits = text(value, what)?;
    let shaped = digits.bytes().all(|byte| byte.is_ascii_digit())
        && (digits.len() == 1 || !digits.starts_with('0'));
    digits
        .parse()
        .ok()
        .filter(|&element: &u64| shaped && element < modulus)
        .ok_or_else(|| refused(what, "is no element"))
}

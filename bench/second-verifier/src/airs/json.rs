//! Public inputs as JSON: exactly the fields that are named.

use crate::field::Field;
use crate::reader::{require, Rejection};
use serde_json::{Map, Value};

/// The fields of an object that has exactly these.
pub fn object<'a>(value: &'a Value, names: &[&str]) -> Result<&'a Map<String, Value>, Rejection> {
    let map = value
        .as_object()
        .ok_or_else(|| Rejection::new("public inputs: an object is expected"))?;
    let complete = map.len() == names.len() && names.iter().all(|name| map.contains_key(*name));
    require(complete, "public inputs: other fields than the AIR's")?;
    Ok(map)
}

fn field<'a>(map: &'a Map<String, Value>, name: &str) -> Result<&'a Value, Rejection> {
    map.get(name)
        .ok_or_else(|| Rejection::new(format!("public inputs: {name} is missing")))
}

pub fn string<'a>(map: &'a Map<String, Value>, name: &str) -> Result<&'a str, Rejection> {
    field(map, name)?
        .as_str()
        .ok_or_else(|| Rejection::new(format!("public inputs: {name} is not a string")))
}

pub fn array<'a>(map: &'a Map<String, Value>, name: &str) -> Result<&'a [Value], Rejection> {
    field(map, name)?
        .as_array()
        .map(Vec::as_slice)
        .ok_or_else(|| Rejection::new(format!("public inputs: {name} is not a list")))
}

/// An integer in a range; JSON has one kind of number, so 1.0 is one too.
pub fn integer(
    map: &Map<String, Value>,
    name: &str,
    least: i64,
    most: i64,
) -> Result<i64, Rejection> {
    let value = field(map, name)?;
    let whole = value.as_i64().or_else(|| {
        value
            .as_f64()
            .filter(|f| f.fract() == 0.0 && f.abs() <= 9_007_199_254_740_991.0)
            .map(|f| f as i64)
    });
    whole
        .filter(|n| (least..=most).contains(n))
        .ok_or_else(|| Rejection::new(format!("public inputs: {name} is no integer in its range")))
}

/// A field element: decimal digits without leading zeros, or `0x` and 1 to 16 hexadecimal digits.
pub fn parse_element<F: Field>(text: &str) -> Option<F> {
    let value = match text.strip_prefix("0x") {
        Some(digits) => {
            let shaped =
                (1..=16).contains(&digits.len()) && digits.bytes().all(|c| c.is_ascii_hexdigit());
            u64::from_str_radix(digits, 16).ok().filter(|_| shaped)
        }
        None => {
            let shaped = text.bytes().all(|c| c.is_ascii_digit())
                && (text.len() == 1 || !text.starts_with('0'));
            text.parse().ok().filter(|_| shaped)
        }
    };
    value.filter(|&v| v < F::MODULUS).map(F::new)
}

pub fn element<F: Field>(map: &Map<String, Value>, name: &str) -> Result<F, Rejection> {
    parse_element(string(map, name)?)
        .ok_or_else(|| Rejection::new(format!("public inputs: {name} is no element")))
}

/// A list of exactly `count` field elements.
pub fn elements<F: Field>(
    map: &Map<String, Value>,
    name: &str,
    count: usize,
) -> Result<Vec<F>, Rejection> {
    let list = array(map, name)?;
    let parsed: Option<Vec<F>> = list
        .iter()
        .map(|item| item.as_str().and_then(parse_element))
        .collect();
    parsed
        .filter(|values| values.len() == count)
        .ok_or_else(|| Rejection::new(format!("public inputs: {name} is no list of elements")))
}

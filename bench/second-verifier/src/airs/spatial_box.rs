//! spatial-box/v1, over Goldilocks.

use super::permutation::{self, ROWS};
use super::{json, Rows, Statement};
use crate::field::Algebra;
use crate::poseidon2::{initial_state, limbs, Poseidon2, SpongeField};
use crate::reader::{require, Rejection};
use serde_json::{Map, Value};

const AXES: [(&str, &str); 5] = [
    ("latitude", "1e-7 degree"),
    ("longitude", "1e-7 degree"),
    ("elevation", "millimetre"),
    ("altitude", "millimetre"),
    ("grid", "centimetre"),
];

/// First column after those of the permutation.
const X: usize = 24;

pub fn constraints<F: SpongeField, A: Algebra<F>>(row: &[A], next: &[A], periodic: &[A]) -> Vec<A> {
    let one = A::from(F::one());
    let absorb = permutation::split::<F, A>(periodic).0.absorb;
    let mut out = permutation::constraints::<F, A>(row, next, periodic, |i| {
        let change = next[i] - row[i];
        if i == 0 {
            change - next[X]
        } else {
            change
        }
    });
    let [x, lower, upper, bit_above, bit_below, above, below] = std::array::from_fn(|i| row[X + i]);
    let going_on = one - absorb;
    out.push(going_on * (next[X] - x));
    out.push(bit_above * (bit_above - one));
    out.push(bit_below * (bit_below - one));
    out.push(next[X + 5] - ((going_on + going_on) * above + next[X + 3]));
    out.push(next[X + 6] - ((going_on + going_on) * below + next[X + 4]));
    out.push(absorb * (x - lower - above));
    out.push(absorb * (upper - x - below));
    out
}

struct Axis {
    code: usize,
    min: i64,
    max: i64,
}

fn axis(value: &Value) -> Result<Axis, Rejection> {
    let map = json::object(value, &["name", "unit", "min", "max"])?;
    let name = json::string(map, "name")?;
    let code = AXES
        .iter()
        .position(|(known, _)| *known == name)
        .ok_or_else(|| Rejection::new("public inputs: an unknown axis"))?;
    let unit = json::string(map, "unit")?;
    require(unit == AXES[code].1, "public inputs: another unit")?;
    let min = json::integer(map, "min", -(1 << 40), 1 << 40)?;
    let max = json::integer(map, "max", -(1 << 40), 1 << 40)?;
    require(
        min <= max && max - min < 1 << 32,
        "public inputs: bounds that no axis has",
    )?;
    Ok(Axis { code, min, max })
}

/// The frame that goes with these axes.
fn frame(axes: &[Axis]) -> Option<&'static str> {
    let codes: Vec<usize> = axes.iter().map(|axis| axis.code).collect();
    match codes.as_slice() {
        [0, 1] | [0, 1, 2] | [0, 1, 3] | [0, 1, 2, 3] => Some("wgs84"),
        [4, rest @ ..] => {
            let grids = rest.strip_suffix(&[3]).unwrap_or(rest);
            grids.iter().all(|&code| code == 4).then_some("metric")
        }
        _ => None,
    }
}

fn parcel_hash(map: &Map<String, Value>) -> Result<Vec<u8>, Rejection> {
    let text = json::string(map, "parcelHash")?;
    let digits = text.strip_prefix("0x").unwrap_or("").as_bytes();
    let nibble = |digit: u8| (digit as char).to_digit(16).map(|n| n as u8);
    let bytes: Option<Vec<u8>> = digits
        .chunks(2)
        .map(|pair| Some(nibble(pair[0])? << 4 | nibble(*pair.get(1)?)?))
        .collect();
    bytes
        .filter(|bytes| bytes.len() == 32)
        .ok_or_else(|| Rejection::new("public inputs: parcelHash is no hash"))
}

pub fn statement<F: SpongeField>(inputs: &Value, rows: Rows) -> Result<Statement<F>, Rejection> {
    let map = json::object(inputs, &["frame", "axes", "parcelHash", "commitment"])?;
    let list = json::array(map, "axes")?;
    require(
        (1..=65).contains(&list.len()),
        "public inputs: a number of axes that is not allowed",
    )?;
    let axes: Vec<Axis> = list.iter().map(axis).collect::<Result<_, _>>()?;
    require(
        frame(&axes) == Some(json::string(map, "frame")?),
        "public inputs: a frame that is not that of the axes",
    )?;
    let parcel = parcel_hash(map)?;
    let commitment = json::elements(map, "commitment", F::WIDTH / 2)?;
    let last = ROWS * (axes.len() + 1) - 1;
    require(last + 2 <= rows.usable, "the statement needs more rows")?;

    let mut public = (axes.len() as u16).to_le_bytes().to_vec();
    let mut elements = vec![F::new(axes.len() as u64)];
    for axis in &axes {
        public.push(axis.code as u8);
        public.extend_from_slice(&axis.min.to_le_bytes());
        public.extend_from_slice(&axis.max.to_le_bytes());
        elements.push(F::new(axis.code as u64));
        elements.extend([F::from_signed(axis.min), F::from_signed(axis.max)]);
    }
    public.extend_from_slice(&parcel);
    elements.extend(limbs::<F>(&parcel));
    elements.extend(&commitment);
    let mut state = initial_state::<F>("box1/v1", &[]);
    Poseidon2::default().absorb(&mut state, &public);

    let half = F::WIDTH / 2;
    let mut statement = Statement {
        elements,
        boundary: Vec::new(),
    };
    statement.bind(0, half, state[half..].iter().copied());
    for (i, axis) in axes.iter().enumerate() {
        let row = ROWS * (i + 2) - 1;
        statement.bind(row, X + 1, [axis.min, axis.max].map(F::from_signed));
    }
    statement.bind(last, 0, commitment);
    Ok(statement)
}

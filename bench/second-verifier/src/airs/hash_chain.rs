//! hash-chain/v1.

use super::permutation::{self, ROWS};
use super::{json, Rows, Statement};
use crate::field::Algebra;
use crate::poseidon2::{block_bytes, initial_state, limbs, SpongeField};
use crate::reader::{require, Rejection};
use serde_json::Value;

pub fn constraints<F: SpongeField, A: Algebra<F>>(row: &[A], next: &[A], periodic: &[A]) -> Vec<A> {
    let one = A::from(F::one());
    let (flag, next_flag) = (row[3 * F::WIDTH], next[3 * F::WIDTH]);
    let mut out = permutation::constraints::<F, A>(row, next, periodic, |i| {
        let change = next[i] - row[i];
        if i < F::WIDTH / 2 {
            (one - next_flag) * change
        } else {
            change
        }
    });
    let absorb = permutation::split::<F, A>(periodic).0.absorb;
    out.push((one - absorb) * (next_flag - flag) + absorb * next_flag * (one - flag));
    out
}

pub fn statement<F: SpongeField>(inputs: &Value, rows: Rows) -> Result<Statement<F>, Rejection> {
    let map = json::object(inputs, &["domain", "length", "inputDigest", "output"])?;
    let tag = match json::string(map, "domain")? {
        "hex" => "hc1:hex",
        "text" => "hc1:txt",
        _ => return Err(Rejection::new("public inputs: an unknown domain")),
    };
    let length = json::integer(map, "length", 1, 65_536)? as usize;
    let input_digest = json::elements(map, "inputDigest", F::WIDTH)?;
    let output = json::elements(map, "output", F::WIDTH)?;
    let blocks = length.div_ceil(block_bytes::<F>());
    let permutations = rows.length / ROWS;
    require(blocks <= permutations, "the statement needs more rows")?;

    let mut elements = limbs::<F>(tag.as_bytes());
    elements.push(F::new(length as u64));
    elements.extend(input_digest.iter().chain(&output));
    let mut statement = Statement {
        elements,
        boundary: Vec::new(),
    };
    let half = F::WIDTH / 2;
    let flag = 3 * F::WIDTH;
    let end = ROWS * blocks - 1;
    let start = initial_state::<F>(tag, &[length as u64]);
    statement.bind(0, half, start[half..].iter().copied());
    statement.bind(end, 0, input_digest);
    statement.bind(end, flag, [F::one()]);
    if blocks < permutations {
        statement.bind(end + 1, flag, [F::zero()]);
    }
    statement.bind(rows.length - 1, 0, output);
    Ok(statement)
}

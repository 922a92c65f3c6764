//! raw/lif-step/v1: a leaky integrate-and-fire neuron in integers.

use super::json;
use super::raw::row_count;
use super::{Rows, Statement};
use crate::field::{Algebra, Field};
use crate::reader::{require, Rejection};
use serde_json::Value;

pub fn constraints<F: Field, A: Algebra<F>>(row: &[A], next: &[A]) -> Vec<A> {
    let constant = |n: u64| A::from(F::new(n));
    let one = constant(1);
    let [u, input, w, above, ready, spike, count] = std::array::from_fn(|i| row[i]);
    let (inverse, spikes) = (row[7], row[8]);
    let [decay, threshold, reset, refractory] = std::array::from_fn(|i| row[9 + i]);
    let (remainder, margin, bits) = (&row[13..25], &row[25..42], &row[42..58]);
    let number = |bits: &[A]| {
        bits.iter()
            .rev()
            .fold(constant(0), |sum, &bit| sum + sum + bit)
    };
    let mut out: Vec<A> = row[13..58].iter().map(|&x| x * (x - one)).collect();
    out.push(input + constant(1 << 15) - number(bits));
    out.push(decay * u - constant(1 << 12) * (w - input) - number(remainder));
    out.push(above * (above - one));
    let distance = w - threshold;
    out.push(-one - distance + above * (distance + distance + one) - number(margin));
    out.push(ready + count * inverse - one);
    out.push(ready * count);
    out.push(spike - ready * above);
    out.push(next[0] - reset * (one - ready + spike) - (ready - spike) * w);
    out.push(next[6] - spike * refractory - (one - ready) * (count - one));
    out.push(next[8] - spikes - spike);
    out.extend((9..13).map(|i| next[i] - row[i]));
    out
}

pub fn statement<F: Field>(inputs: &Value, rows: Rows) -> Result<Statement<F>, Rejection> {
    const NAMES: [&str; 8] = [
        "rows",
        "decay",
        "threshold",
        "reset",
        "refractorySteps",
        "initialPotential",
        "finalPotential",
        "spikeCount",
    ];
    let map = json::object(inputs, &NAMES)?;
    let count = row_count(map, rows)?;
    let (low, high) = (-(1 << 15), (1 << 15) - 1);
    let widest = (1 << 15) + (1 << 17);
    let decay = json::integer(map, "decay", 0, 4095)?;
    let threshold = json::integer(map, "threshold", low, high)?;
    let reset = json::integer(map, "reset", low, high)?;
    let refractory = json::integer(map, "refractorySteps", 0, 65_535)?;
    let initial = json::integer(map, "initialPotential", low, high)?;
    let last = json::integer(map, "finalPotential", -widest, widest)?;
    let spikes = json::integer(map, "spikeCount", 0, (1 << 20) - 1)?;
    require(reset < threshold, "reset is not below the threshold")?;
    let numbers = [
        count as i64,
        decay,
        threshold,
        reset,
        refractory,
        initial,
        last,
        spikes,
    ];
    let mut statement = Statement {
        elements: numbers.iter().map(|&n| F::from_signed(n)).collect(),
        boundary: Vec::new(),
    };
    let signed = F::from_signed;
    for (column, value) in [
        (0, initial),
        (6, 0),
        (8, 0),
        (9, decay),
        (10, threshold),
        (11, reset),
        (12, refractory),
    ] {
        statement.bind(0, column, [signed(value)]);
    }
    statement.bind(count - 1, 0, [signed(last)]);
    statement.bind(count - 1, 8, [signed(spikes)]);
    Ok(statement)
}

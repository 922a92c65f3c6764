//! rules/v1, over Goldilocks: leaves of comparisons under a Merkle root of 16 places.

use super::{json, Rows, Statement};
use crate::field::Algebra;
use crate::poseidon2::{external, initial_state, internal, Poseidon2, SpongeField};
use crate::reader::{require, Rejection};
use serde_json::Value;

const PERMUTATION_ROWS: usize = 16;
const LEAF_ROWS: usize = 256;

pub fn periodic_columns<F: SpongeField>() -> Vec<Vec<F>> {
    let number = |n: usize| F::new(n as u64);
    let by_row = |value: &dyn Fn(usize) -> F| (0..PERMUTATION_ROWS).map(value).collect();
    let by_permutation = |value: &dyn Fn(usize, usize) -> usize| {
        (0..LEAF_ROWS)
            .map(|i| number(value(i / PERMUTATION_ROWS, i % PERMUTATION_ROWS)))
            .collect()
    };
    let flag = usize::from;
    let mut columns: Vec<Vec<F>> = vec![
        by_row(&|row| number(flag(row == 0))),
        by_row(&|row| number(flag(matches!(row, 1..=3 | 7..=10)))),
        by_row(&|row| number(flag(matches!(row, 4 | 5)))),
        by_row(&|row| number(flag(row == 6))),
        by_row(&|row| number(flag(matches!(row, 11..=14)))),
        by_row(&|row| number(flag(row == 15))),
        by_permutation(&|q, row| flag(row == 15 && q <= 10)),
        by_permutation(&|q, row| flag(row == 15 && (11..=14).contains(&q))),
        by_permutation(&|q, row| flag(row == 11 && q >= 12)),
        by_permutation(&|q, row| flag(row == 15 && (3..=11).contains(&q))),
        by_permutation(&|q, row| flag(row == 0 && q == 0)),
        by_permutation(&|q, row| flag(row == 15 && q == 15)),
        by_permutation(&|q, row| {
            if row == 15 && (11..=14).contains(&q) {
                1 << (q - 11)
            } else {
                0
            }
        }),
    ];
    let rounds = Poseidon2::<F>::default().rounds;
    for lane in 0..8 {
        columns.push(by_row(&|row| match row {
            0..=3 => rounds[row][lane],
            4..=6 => {
                let partial = 8 * (row - 4) + lane;
                let last = F::PARTIAL_ROUNDS;
                if partial < last {
                    rounds[4 + partial][0]
                } else {
                    F::zero()
                }
            }
            7..=10 => rounds[4 + F::PARTIAL_ROUNDS + row - 7][lane],
            _ => F::zero(),
        }));
    }
    columns
}

/// The columns of a row by name.
struct Columns<'a, A> {
    state: &'a [A],
    fed: &'a [A],
    cubes: &'a [A],
    powers: &'a [A],
    held: &'a [A],
    digits: &'a [A],
    numbers: &'a [A],
    verdicts: &'a [A],
    right: A,
    index: A,
}

impl<'a, A: Copy> Columns<'a, A> {
    fn new(row: &'a [A]) -> Self {
        Columns {
            state: &row[0..8],
            fed: &row[8..16],
            cubes: &row[16..24],
            powers: &row[24..32],
            held: &row[32..36],
            digits: &row[36..40],
            numbers: &row[40..42],
            verdicts: &row[42..44],
            right: row[44],
            index: row[45],
        }
    }
}

pub fn constraints<F: SpongeField, A: Algebra<F>>(row: &[A], next: &[A], periodic: &[A]) -> Vec<A> {
    let mut out = permutation_constraints::<F, A>(row, next, periodic);
    out.extend(comparison_constraints::<F, A>(row, next, periodic));
    let constant = |n: u64| A::from(F::new(n));
    let (now, then) = (Columns::new(row), Columns::new(next));
    let (leaf_first, leaf_last, weight) = (periodic[10], periodic[11], periodic[12]);
    out.push(now.right * (now.right - constant(1)));
    out.push((constant(1) - leaf_last) * (then.index - now.index) - weight * then.right);
    let tag = A::from(initial_state::<F>("rules:1", &[])[F::WIDTH / 2]);
    out.push(leaf_first * (now.state[4] - tag));
    out.push(leaf_first * now.state[6]);
    out.push(leaf_first * now.state[7]);
    out.push(leaf_first * now.index);
    out
}

/// Groups 1 to 5: the permutations and what is held between them.
fn permutation_constraints<F: SpongeField, A: Algebra<F>>(
    row: &[A],
    next: &[A],
    periodic: &[A],
) -> Vec<A> {
    let [first, full, part8, part6, out_rows, last] = std::array::from_fn(|i| periodic[i]);
    let (absorb_next, compress_next, compressed) = (periodic[6], periodic[7], periodic[8]);
    let constants = &periodic[13..21];
    let (now, then) = (Columns::new(row), Columns::new(next));
    let mut partial = vec![now.state.to_vec()];
    for j in 0..8 {
        let mut lanes = partial[j].clone();
        lanes[0] = now.powers[j];
        partial.push(internal::<F, A>(&lanes));
    }
    let start = external::<F, A>(now.state);
    let mut out: Vec<A> = (0..8)
        .map(|k| {
            let partly = if k < 6 { part8 + part6 } else { part8 };
            now.fed[k]
                - (first * start[k] + full * now.state[k] + partly * partial[k][0] + constants[k])
        })
        .collect();
    out.extend((0..8).map(|k| now.cubes[k] - now.fed[k] * now.fed[k] * now.fed[k]));
    out.extend((0..8).map(|k| now.powers[k] - now.cubes[k] * now.cubes[k] * now.fed[k]));
    let after_full = external::<F, A>(now.powers);
    out.extend((0..8).map(|i| {
        let (s, t) = (now.state[i], then.state[i]);
        let steps = (first + full) * (t - after_full[i])
            + part8 * (t - partial[8][i])
            + part6 * (t - partial[6][i])
            + out_rows * (t - s);
        if i < 4 {
            let kept = t - s + then.right * (then.state[4 + i] - t);
            steps - compressed * now.held[i] + compress_next * kept
        } else {
            steps + absorb_next * (t - s)
        }
    }));
    out.extend((0..4).map(|i| {
        (then.held[i] - now.held[i])
            + last * (now.held[i] - then.state[i])
            + absorb_next * now.state[i]
    }));
    out
}

/// Groups 6 to 9: digits, numbers and verdicts.
fn comparison_constraints<F: SpongeField, A: Algebra<F>>(
    row: &[A],
    next: &[A],
    periodic: &[A],
) -> Vec<A> {
    let constant = |n: u64| A::from(F::new(n));
    let (one, two) = (constant(1), constant(2));
    let (last, rule_end) = (periodic[5], periodic[9]);
    let (now, then) = (Columns::new(row), Columns::new(next));
    let total: Vec<A> = (0..2)
        .map(|j| {
            constant(9) * now.numbers[j] + constant(3) * now.digits[2 * j] + now.digits[2 * j + 1]
        })
        .collect();
    let mut out: Vec<A> = now
        .digits
        .iter()
        .map(|&d| d * (d - one) * (d - two))
        .collect();
    out.extend((0..2).map(|j| then.numbers[j] - (one - last) * total[j]));
    out.extend(now.verdicts.iter().map(|&o| o * (o - one)));
    out.extend((0..2).map(|j| {
        let o = now.verdicts[j];
        let (x, r) = (now.held[2 * j], now.held[2 * j + 1]);
        let sign = two * o - one;
        rule_end * (two * total[j] - (sign * (two * x - r + o) + two * o - two))
    }));
    out
}

pub fn statement<F: SpongeField>(inputs: &Value, rows: Rows) -> Result<Statement<F>, Rejection> {
    let map = json::object(inputs, &["root", "leafCount"])?;
    let root: Vec<F> = json::elements(map, "root", 4)?;
    let count = json::integer(map, "leafCount", 1, 16)? as usize;
    require(
        LEAF_ROWS * count <= rows.usable,
        "the statement needs more rows",
    )?;
    let mut elements = root.clone();
    elements.push(F::new(count as u64));
    let mut statement = Statement {
        elements,
        boundary: Vec::new(),
    };
    for i in 0..count {
        let row = LEAF_ROWS * (i + 1) - 1;
        statement.bind(row, 0, root.iter().copied());
        statement.bind(row, 45, [F::new(i as u64)]);
    }
    Ok(statement)
}

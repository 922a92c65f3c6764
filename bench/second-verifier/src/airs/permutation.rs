//! Poseidon2 permutations as 32 rows each: what hash-chain, binding, preimage and spatial-box share.

use crate::field::{Algebra, Field, Goldilocks};
use crate::poseidon2::{external, internal, is_full, Poseidon2, SpongeField};

/// Rows of a permutation.
pub const ROWS: usize = 32;

/// Over Goldilocks no row is idle, so there is no selector for it.
fn has_idle<F: Field>() -> bool {
    F::MODULUS != Goldilocks::MODULUS
}

pub fn periodic_columns<F: SpongeField>() -> Vec<Vec<F>> {
    let constants = Poseidon2::<F>::default();
    let rounds = constants.rounds.len();
    let selector = |chosen: &dyn Fn(usize) -> bool| -> Vec<F> {
        (0..ROWS)
            .map(|row| F::new(u64::from(chosen(row))))
            .collect()
    };
    let is_round = |row: usize| (1..=rounds).contains(&row);
    let mut columns = vec![
        selector(&|row| is_round(row) && is_full::<F>(row - 1)),
        selector(&|row| is_round(row) && !is_full::<F>(row - 1)),
        selector(&|row| row == 0),
        selector(&|row| row == ROWS - 1),
    ];
    if has_idle::<F>() {
        columns.push(selector(&|row| row > rounds && row < ROWS - 1));
    }
    for lane in 0..F::WIDTH {
        let constant = |row: usize| {
            let round = row.checked_sub(1).and_then(|r| constants.rounds.get(r));
            round
                .and_then(|r| r.get(lane))
                .copied()
                .unwrap_or(F::zero())
        };
        columns.push((0..ROWS).map(constant).collect());
    }
    columns
}

/// The selectors as the constraints use them.
pub struct Selectors<A> {
    full: A,
    partial: A,
    linear: A,
    pub absorb: A,
    idle: A,
}

/// Splits the periodic values into selectors and round constants.
pub fn split<F: SpongeField, A: Algebra<F>>(periodic: &[A]) -> (Selectors<A>, &[A]) {
    let count = if has_idle::<F>() { 5 } else { 4 };
    let idle = if count == 5 {
        periodic[4]
    } else {
        A::from(F::zero())
    };
    let selectors = Selectors {
        full: periodic[0],
        partial: periodic[1],
        linear: periodic[2],
        absorb: periodic[3],
        idle,
    };
    (selectors, &periodic[count..])
}

/// The 3w constraints of the permutation; `absorbing` gives g_i, what must vanish in the absorbing step.
pub fn constraints<F: SpongeField, A: Algebra<F>>(
    row: &[A],
    next: &[A],
    periodic: &[A],
    absorbing: impl Fn(usize) -> A,
) -> Vec<A> {
    let width = F::WIDTH;
    let (select, constants) = split::<F, A>(periodic);
    let (state, cubes, powers) = (
        &row[..width],
        &row[width..2 * width],
        &row[2 * width..3 * width],
    );
    let one = A::from(F::one());
    let fed: Vec<A> = (0..width).map(|i| state[i] + constants[i]).collect();
    let mut out: Vec<A> = (0..width)
        .map(|i| cubes[i] - fed[i] * fed[i] * fed[i])
        .collect();
    out.extend((0..width).map(|i| {
        let product = if F::ALPHA == 7 {
            cubes[i] * cubes[i] * fed[i]
        } else {
            cubes[i] * fed[i] * fed[i]
        };
        powers[i] - product
    }));
    let mut partly = state.to_vec();
    partly[0] = powers[0];
    let after_full = external::<F, A>(powers);
    let after_partial = internal::<F, A>(&partly);
    let after_linear = external::<F, A>(state);
    out.extend((0..width).map(|i| {
        select.full * after_full[i]
            + select.partial * after_partial[i]
            + select.linear * after_linear[i]
            + select.idle * state[i]
            - (one - select.absorb) * next[i]
            - select.absorb * absorbing(i)
    }));
    out
}

//! Limbs of binding/v2 and preimage/v2: what shows that the absorbed blocks are bytes.

use super::permutation::{self, ROWS};
use crate::field::Algebra;
use crate::poseidon2::SpongeField;

/// Bits of a limb that a row holds.
fn bits_per_row<F: SpongeField>() -> usize {
    (8 * F::LIMB_BYTES).div_ceil(ROWS - 1)
}

/// The columns that follow the permutation's: sums, then bits.
pub fn columns<F: SpongeField>() -> usize {
    F::WIDTH / 2 * (1 + bits_per_row::<F>())
}

/// The periodic column that follows the permutation's.
pub fn weights<F: SpongeField>() -> Vec<F> {
    let per_row = bits_per_row::<F>();
    let weighed = 8 * F::LIMB_BYTES / per_row;
    (0..ROWS)
        .map(|row| {
            if row < weighed {
                F::new(1 << (row * per_row))
            } else {
                F::zero()
            }
        })
        .collect()
}

pub fn constraints<F: SpongeField, A: Algebra<F>>(row: &[A], next: &[A], periodic: &[A]) -> Vec<A> {
    let half = F::WIDTH / 2;
    let per_row = bits_per_row::<F>();
    let sums = 3 * F::WIDTH;
    let bits = &row[sums + half..];
    let (weight, permuted) = (
        periodic[periodic.len() - 1],
        &periodic[..periodic.len() - 1],
    );
    let mut out = permutation::constraints::<F, A>(row, next, permuted, |i| {
        let change = next[i] - row[i];
        if i < half {
            change - row[sums + i]
        } else {
            change
        }
    });
    let one = A::from(F::one());
    let absorb = permutation::split::<F, A>(permuted).0.absorb;
    out.extend((0..half).map(|i| {
        let digit = bits[i * per_row..(i + 1) * per_row]
            .iter()
            .rev()
            .fold(A::from(F::zero()), |sum, &bit| sum + sum + bit);
        next[sums + i] - ((one - absorb) * row[sums + i] + weight * digit)
    }));
    out.extend(bits[..half * per_row].iter().map(|&bit| bit * (bit - one)));
    out
}

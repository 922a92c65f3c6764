//! Profiles 1 and 2: multiplicative cosets of Goldilocks.

use crate::extension::Extension;
use crate::field::{root_of_unity, Field, Goldilocks};
use crate::geometry::{horner, invert, Composition, Geometry, OpenedLeaf};
use crate::params::Sizes;
use crate::reader::Rejection;
use crate::transcript::Transcript;

pub struct Multiplicative<E> {
    sizes: Sizes,
    /// h, the generator of the trace domain.
    generator: Goldilocks,
    z: E,
}

impl<E: Extension<Base = Goldilocks>> Multiplicative<E> {
    /// Point j of layer i.
    fn point(&self, layer: usize, index: usize) -> Goldilocks {
        let shift = Goldilocks::new(7).power(1 << (3 * layer));
        let root = root_of_unity(self.sizes.log_domain() - 3 * layer as u32);
        shift * root.power(index as u64)
    }

    fn row_point(&self, row: usize) -> Goldilocks {
        self.generator.power(row as u64)
    }
}

impl<E: Extension<Base = Goldilocks>> Geometry for Multiplicative<E> {
    type E = E;

    fn new(sizes: Sizes, transcript: &mut Transcript) -> Self {
        let mut z: E = transcript.draw();
        while z.coordinates()[1..]
            .iter()
            .all(|c| *c == Goldilocks::zero())
        {
            z = transcript.draw();
        }
        Multiplicative {
            generator: root_of_unity(sizes.header.log_length),
            sizes,
            z,
        }
    }

    fn overflow_length(_: &Sizes) -> usize {
        0
    }

    fn values_per_column() -> usize {
        1
    }

    fn periodic(&self, columns: &[Vec<Goldilocks>]) -> Result<Vec<E>, Rejection> {
        Ok(columns
            .iter()
            .map(|column| {
                let period = column.len();
                let y = self.z.power((self.sizes.length / period) as u64);
                interpolate(column, y)
            })
            .collect())
    }

    fn composed(&self, composition: &Composition<E>) -> Result<E, Rejection> {
        let length = self.sizes.length;
        let transitions = composition.transitions;
        let one = E::one();
        let vanishing = self.z.power(length as u64) - one;
        let excluded = (self.sizes.rows().usable - 1..length).fold(one, |product, row| {
            product * (self.z - E::from(self.row_point(row)))
        });
        let mut sum =
            horner(transitions.iter().copied(), composition.alpha) * excluded * invert(vanishing)?;
        let mut scale = composition.alpha.power(transitions.len() as u64);
        for boundary in composition.boundary {
            let value = composition.columns[boundary.column] - E::from(boundary.value);
            let divisor = self.z - E::from(self.row_point(boundary.row));
            sum = sum + scale * value * invert(divisor)?;
            scale = scale * composition.alpha;
        }
        Ok(sum)
    }

    fn committed(&self, chunks: &[E], _: &[E]) -> E {
        let step = if self.sizes.header.zero_knowledge {
            self.sizes.rows().usable
        } else {
            self.sizes.length
        };
        horner(chunks.iter().copied(), self.z.power(step as u64))
    }

    fn deep(&self, leaf: &OpenedLeaf<E>, values: &[E], gamma: E) -> Result<Vec<E>, Rejection> {
        let width = self.sizes.shape.width;
        let columns = self.sizes.composition_columns;
        let (at_z, rest) = values.split_at(width);
        let (at_next, chunks) = rest.split_at(width);
        let after_columns = gamma.power(width as u64);
        let last = gamma.power((width + columns) as u64);
        let chunk_sum = |row: &[E]| after_columns * horner(row.iter().copied(), gamma);
        let all_at_z = horner(at_z.iter().copied(), gamma) + chunk_sum(chunks);
        let all_at_next = horner(at_next.iter().copied(), gamma);
        let next_point = self.z * E::from(self.generator);
        let step = self.sizes.leaves(0);
        (0..8)
            .map(|k| {
                let x = E::from(self.point(0, leaf.index + k * step));
                let trace = horner(leaf.trace[k].iter().map(|&f| E::from(f)), gamma);
                let first = trace + chunk_sum(&leaf.composition[k]) - all_at_z;
                let second = trace - all_at_next;
                Ok(first * invert(x - self.z)? + last * second * invert(x - next_point)?)
            })
            .collect()
    }

    fn fold(&self, layer: usize, index: usize, values: &[E], lambda: E) -> E {
        let x = self.point(layer, index);
        let zeta_inverse = root_of_unity(3).power(7);
        let ratio = x.inverse().map(|inverse| lambda * E::from(inverse));
        let eighth = Goldilocks::new(8).inverse();
        let terms = (0..8u64).map(|j| {
            let step = zeta_inverse.power(j);
            horner(values.iter().copied(), E::from(step))
        });
        let sum = horner(
            terms.collect::<Vec<E>>().into_iter(),
            ratio.unwrap_or(E::zero()),
        );
        sum * E::from(eighth.unwrap_or(Goldilocks::zero()))
    }

    fn place(&self, layer: usize, index: usize) -> (usize, usize) {
        let leaves = self.sizes.leaves(layer);
        (index % leaves, index / leaves)
    }

    fn last(&self, coefficients: &[E], index: usize) -> E {
        let x = self.point(self.sizes.folds, index);
        horner(coefficients.iter().copied(), E::from(x))
    }
}

/// At y, the polynomial of degree below the number of values that has them on the subgroup of that order.
pub fn interpolate<E: Extension<Base = Goldilocks>>(values: &[Goldilocks], y: E) -> E {
    let count = values.len();
    let root = root_of_unity(count.trailing_zeros());
    let inverse_root = root.power(count as u64 - 1);
    let mut sum = E::zero();
    let mut back = Goldilocks::one();
    for &value in values {
        let ratio = y * E::from(back);
        let mut geometric = E::zero();
        for _ in 0..count {
            geometric = geometric * ratio + E::one();
        }
        sum = sum + E::from(value) * geometric;
        back = back * inverse_root;
    }
    let scale = Goldilocks::new(count as u64).inverse();
    sum * E::from(scale.unwrap_or(Goldilocks::zero()))
}

//! Profile 3: polynomials on the circle over M31.

use crate::circle::{
    basis, double_x, first_layer_point, generator, later_layer_x, vanishing, Point,
};
use crate::extension::{solve, Cm31, Extension, Qm31};
use crate::field::{Field, M31};
use crate::geometry::{horner, invert, Composition, Geometry, OpenedLeaf};
use crate::params::Sizes;
use crate::reader::Rejection;
use crate::transcript::Transcript;
use std::collections::btree_map::{BTreeMap, Entry};

pub struct Circle {
    sizes: Sizes,
    z: Point<Qm31>,
    /// z' = z + g_N.
    next: Point<Qm31>,
}

fn lift(value: M31) -> Qm31 {
    Qm31::from(value)
}

/// The point of the circle with parameter τ, if there is one.
fn point_at(tau: Qm31) -> Option<Point<Qm31>> {
    let square = tau * tau;
    let inverse = (Qm31::one() + square).inverse()?;
    Some(Point {
        x: (Qm31::one() - square) * inverse,
        y: (tau + tau) * inverse,
    })
}

/// Weights of the values on the standard coset of `size` points in the value at `point`.
fn interpolation_weights(size: usize, point: Point<Qm31>) -> Option<Vec<Qm31>> {
    let step = generator(2 * size);
    let nodes: Vec<Point<M31>> = (0..size).map(|i| step.times(2 * i as u64 + 1)).collect();
    let matrix = (0..size)
        .map(|j| nodes.iter().map(|&node| basis(j, node)).collect())
        .collect();
    let right = (0..size).map(|j| basis(j, point)).collect();
    solve(matrix, right)
}

/// The lines through out-of-domain values, combined by powers of γ: constant and slope.
struct Lines {
    constant: Qm31,
    slope: Qm31,
}

impl Lines {
    fn new(values: &[Qm31], point: Point<Qm31>, gamma: Qm31) -> Result<Lines, Rejection> {
        let inverse = point
            .y
            .im()
            .inverse()
            .ok_or_else(|| Rejection::new("a line without a slope"))?;
        let slope = |value: &Qm31| value.im() * inverse;
        let constant = |value: &Qm31| value.re() - slope(value) * point.y.re();
        Ok(Lines {
            constant: horner(values.iter().map(|v| constant(v).into()), gamma),
            slope: horner(values.iter().map(|v| slope(v).into()), gamma),
        })
    }

    fn at(&self, y: M31) -> Qm31 {
        self.constant + self.slope * lift(y)
    }
}

/// V_ζ at a point over F: the line through ζ and its conjugate.
fn line_through(zeta: Point<Qm31>, point: Point<M31>) -> Cm31 {
    (Cm31::from(point.x) - zeta.x.re()) * zeta.y.im()
        - (Cm31::from(point.y) - zeta.y.re()) * zeta.x.im()
}

impl Circle {
    fn row_point(&self, row: usize) -> Point<M31> {
        generator(2 * self.sizes.length).times(2 * row as u64 + 1)
    }

    /// z − P for a point P over F.
    fn away_from(&self, point: Point<M31>) -> Point<Qm31> {
        self.z.plus(point.negated().lift())
    }

    fn exclusion(&self) -> Qm31 {
        let length = self.sizes.length;
        let usable = self.sizes.rows().usable;
        let step = generator(length);
        let half = lift(generator(2 * length).x);
        let tangent = Qm31::one() - self.away_from(self.row_point(length - 1)).x;
        (0..self.sizes.masking / 2).fold(tangent, |product, m| {
            let middle = step.times((usable + 2 * m) as u64);
            product * (self.away_from(middle).x - half)
        })
    }
}

impl Geometry for Circle {
    type E = Qm31;

    fn new(sizes: Sizes, transcript: &mut Transcript) -> Self {
        let step = generator(sizes.length).lift();
        loop {
            let tau: Qm31 = transcript.draw();
            let Some(z) = point_at(tau) else { continue };
            let next = z.plus(step);
            if z.y.im() != Cm31::zero() && next.y.im() != Cm31::zero() {
                return Circle { sizes, z, next };
            }
        }
    }

    fn overflow_length(sizes: &Sizes) -> usize {
        if sizes.header.zero_knowledge {
            0
        } else {
            3
        }
    }

    fn values_per_column() -> usize {
        4
    }

    fn periodic(&self, columns: &[Vec<M31>]) -> Result<Vec<Qm31>, Rejection> {
        let mut weights: BTreeMap<usize, Vec<Qm31>> = BTreeMap::new();
        let mut values = Vec::new();
        for column in columns {
            let period = column.len();
            let weights = match weights.entry(period) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(place) => {
                    let point = self.z.times((self.sizes.length / period) as u64);
                    place.insert(interpolation_weights(period, point).ok_or_else(|| {
                        Rejection::new("a periodic column that is not determined")
                    })?)
                }
            };
            let terms = weights.iter().zip(column);
            values.push(terms.fold(Qm31::zero(), |sum, (&w, &c)| sum + w * lift(c)));
        }
        Ok(values)
    }

    fn composed(&self, composition: &Composition<Qm31>) -> Result<Qm31, Rejection> {
        let transitions = composition.transitions;
        let divisor = invert(vanishing(self.sizes.length, self.z.x))?;
        let mut sum =
            horner(transitions.iter().copied(), composition.alpha) * self.exclusion() * divisor;
        let mut scale = composition.alpha.power(transitions.len() as u64);
        for boundary in composition.boundary {
            let away = self.away_from(self.row_point(boundary.row));
            let value = composition.columns[boundary.column] - lift(boundary.value);
            sum = sum + scale * value * (Qm31::one() + away.x) * invert(away.y)?;
            scale = scale * composition.alpha;
        }
        Ok(sum)
    }

    fn committed(&self, chunks: &[Qm31], overflow: &[Qm31]) -> Qm31 {
        let i = Qm31::from_coordinates(&[0, 1, 0, 0].map(M31::new));
        let u = Qm31::from_coordinates(&[0, 0, 1, 0].map(M31::new));
        let chunks = chunks
            .chunks(4)
            .map(|s| s[0] + s[1] * i + s[2] * u + s[3] * i * u);
        let length = self.sizes.length;
        if self.sizes.header.zero_knowledge {
            let values: Vec<Qm31> = chunks.collect();
            return horner(values.into_iter(), basis(3 * length / 4, self.z));
        }
        let sum = chunks.enumerate().fold(Qm31::zero(), |sum, (k, chunk)| {
            sum + basis(k * length, self.z) * chunk
        });
        let beyond = overflow[0] + overflow[1] * self.z.y + overflow[2] * self.z.x;
        sum + basis(self.sizes.chunks * length, self.z) * beyond
    }

    fn deep(
        &self,
        leaf: &OpenedLeaf<Qm31>,
        values: &[Qm31],
        gamma: Qm31,
    ) -> Result<Vec<Qm31>, Rejection> {
        let width = self.sizes.shape.width;
        let columns = width + 4 * self.sizes.composition_columns;
        let (at_z, rest) = values.split_at(width);
        let (at_next, chunks) = rest.split_at(width);
        let lines = Lines::new(&[at_z, chunks].concat(), self.z, gamma)?;
        let next_lines = Lines::new(at_next, self.next, gamma)?;
        let after_trace = gamma.power(width as u64);
        let last = gamma.power(columns as u64);
        (0..8)
            .map(|k| {
                let point = first_layer_point(self.sizes.domain, 8 * leaf.index + k);
                let trace = horner(leaf.trace[k].iter().map(|&f| lift(f)), gamma);
                let coordinates = leaf.composition[k]
                    .iter()
                    .flat_map(|c| c.coordinates().to_vec())
                    .map(lift)
                    .collect::<Vec<Qm31>>();
                let all = trace + after_trace * horner(coordinates.into_iter(), gamma);
                let first = (all - lines.at(point.y)) * invert(line_through(self.z, point).into())?;
                let second = (trace - next_lines.at(point.y))
                    * invert(line_through(self.next, point).into())?;
                Ok(first + last * second)
            })
            .collect()
    }

    fn fold(&self, layer: usize, index: usize, values: &[Qm31], lambda: Qm31) -> Qm31 {
        let twiddles = if layer == 0 {
            let Point { x, y } = first_layer_point(self.sizes.domain, 8 * index);
            [vec![y, -y, -x, x], vec![x, y], vec![double_x(x)]]
        } else {
            let size = self.sizes.layer(layer);
            let x = |k: usize| later_layer_x(size, 8 * index + k);
            let first = [0, 2, 4, 6].map(x).to_vec();
            let second = vec![double_x(x(0)), double_x(x(4))];
            let third = vec![double_x(second[0])];
            [first, second, third]
        };
        let mut current = values.to_vec();
        let mut challenge = lambda;
        for level in twiddles {
            current = current
                .chunks(2)
                .zip(level)
                .map(|(pair, tau)| halve(pair[0], pair[1], tau, challenge))
                .collect();
            challenge = challenge * challenge;
        }
        current[0]
    }

    fn place(&self, _: usize, index: usize) -> (usize, usize) {
        (index / 8, index % 8)
    }

    fn last(&self, coefficients: &[Qm31], index: usize) -> Qm31 {
        let size = self.sizes.layer(self.sizes.folds);
        let mut factor = later_layer_x(size, index);
        let mut products = vec![M31::one()];
        while products.len() < coefficients.len() {
            let more: Vec<M31> = products.iter().map(|&l| l * factor).collect();
            products.extend(more);
            factor = double_x(factor);
        }
        coefficients
            .iter()
            .zip(products)
            .fold(Qm31::zero(), |sum, (&c, l)| sum + c * lift(l))
    }
}

/// (v + v')/2 + challenge·(v − v')/(2τ). No τ of a layer is zero.
fn halve(first: Qm31, second: Qm31, tau: M31, challenge: Qm31) -> Qm31 {
    let half = M31::new(M31::MODULUS.div_ceil(2));
    let inverse = tau.inverse().unwrap_or(M31::zero());
    (first + second) * lift(half) + challenge * (first - second) * lift(half * inverse)
}

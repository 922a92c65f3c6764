//! The circle x² + y² = 1: its group, its domains over M31 and the basis of its polynomials.

use crate::field::{Algebra, Field, M31};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Point<A> {
    pub x: A,
    pub y: A,
}

/// π(x) = 2x² − 1, the x-coordinate of the doubled point.
pub fn double_x<A: Algebra<M31>>(x: A) -> A {
    let square = x * x;
    square + square - A::from(M31::one())
}

impl<A: Algebra<M31>> Point<A> {
    pub fn neutral() -> Self {
        Point {
            x: A::from(M31::one()),
            y: A::from(M31::zero()),
        }
    }

    pub fn plus(self, other: Self) -> Self {
        Point {
            x: self.x * other.x - self.y * other.y,
            y: self.x * other.y + self.y * other.x,
        }
    }

    pub fn negated(self) -> Self {
        Point {
            x: self.x,
            y: -self.y,
        }
    }

    pub fn times(self, mut scalar: u64) -> Self {
        let mut result = Self::neutral();
        let mut doubled = self;
        while scalar > 0 {
            if scalar & 1 == 1 {
                result = result.plus(doubled);
            }
            doubled = doubled.plus(doubled);
            scalar >>= 1;
        }
        result
    }

    /// A point over F as a point over an algebra of it.
    pub fn lift<B: Algebra<A>>(self) -> Point<B> {
        Point {
            x: B::from(self.x),
            y: B::from(self.y),
        }
    }
}

/// g_m, the generator of the subgroup of order m, a power of two up to 2^31.
pub fn generator(order: usize) -> Point<M31> {
    let circle = Point {
        x: M31::new(2),
        y: M31::new(1_268_011_823),
    };
    circle.times(1 << (31 - order.trailing_zeros()))
}

fn reverse_bits(value: usize, bits: u32) -> usize {
    (0..bits).fold(0, |reversed, bit| reversed << 1 | value >> bit & 1)
}

/// Position `index` of layer 0 with `size` points.
pub fn first_layer_point(size: usize, index: usize) -> Point<M31> {
    let turn = reverse_bits(index / 2, size.trailing_zeros() - 1);
    let point = generator(2 * size).plus(generator(size / 2).times(turn as u64));
    if index % 2 == 1 {
        point.negated()
    } else {
        point
    }
}

/// Position `index` of a later layer with `size` positions.
pub fn later_layer_x(size: usize, index: usize) -> M31 {
    let turn = reverse_bits(index, size.trailing_zeros());
    generator(4 * size)
        .plus(generator(size).times(turn as u64))
        .x
}

/// v_m(x), which vanishes on the standard coset of m points (m ≥ 2).
pub fn vanishing<A: Algebra<M31>>(size: usize, x: A) -> A {
    (1..size.trailing_zeros()).fold(x, |x, _| double_x(x))
}

/// b_j at a point.
pub fn basis<A: Algebra<M31>>(index: usize, point: Point<A>) -> A {
    let mut product = A::from(M31::one());
    if index & 1 == 1 {
        product = point.y;
    }
    let mut factor = point.x;
    let mut rest = index >> 1;
    while rest > 0 {
        if rest & 1 == 1 {
            product = product * factor;
        }
        factor = double_x(factor);
        rest >>= 1;
    }
    product
}

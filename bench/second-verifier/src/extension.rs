//! The extension fields of the profiles.

use crate::field::{raise, Algebra, Field, Goldilocks, M31};
use std::ops::{Add, Mul, Neg, Sub};

/// A field E over its base field, as coordinates, c0 first.
pub trait Extension: Algebra<Self::Base> + Eq + Send + Sync + 'static {
    type Base: Field;
    const DEGREE: usize;

    /// From exactly `DEGREE` coordinates.
    fn from_coordinates(coordinates: &[Self::Base]) -> Self;
    fn coordinates(&self) -> &[Self::Base];

    fn zero() -> Self {
        Self::from(Self::Base::zero())
    }
    fn one() -> Self {
        Self::from(Self::Base::one())
    }
    fn power(self, exponent: u64) -> Self {
        raise(Self::one(), self, exponent)
    }
    fn append_to(&self, out: &mut Vec<u8>) {
        for coordinate in self.coordinates() {
            coordinate.append_to(out);
        }
    }

    /// The inverse, if there is one: the solution x of the linear system a·x = 1.
    fn inverse(self) -> Option<Self> {
        let degree = Self::DEGREE;
        let base_zero = Self::Base::zero();
        let mut columns = Vec::new();
        for i in 0..degree {
            let mut unit = vec![base_zero; degree];
            unit[i] = Self::Base::one();
            columns.push(self * Self::from_coordinates(&unit));
        }
        let matrix = (0..degree)
            .map(|row| columns.iter().map(|c| c.coordinates()[row]).collect())
            .collect();
        let mut right = vec![base_zero; degree];
        right[0] = Self::Base::one();
        solve(matrix, right).map(|x| Self::from_coordinates(&x))
    }
}

/// Gaussian elimination: x with `matrix`·x = `right`, the matrix over F and the vectors over an algebra of it.
pub fn solve<F: Field, A: Algebra<F>>(
    mut matrix: Vec<Vec<F>>,
    mut right: Vec<A>,
) -> Option<Vec<A>> {
    let size = matrix.len();
    for pivot in 0..size {
        let found = (pivot..size).find(|&row| matrix[row][pivot] != F::zero())?;
        matrix.swap(pivot, found);
        right.swap(pivot, found);
        let scale = matrix[pivot][pivot].inverse()?;
        for entry in &mut matrix[pivot] {
            *entry = *entry * scale;
        }
        right[pivot] = right[pivot] * A::from(scale);
        let pivot_row = matrix[pivot].clone();
        for row in 0..size {
            let factor = matrix[row][pivot];
            if row == pivot || factor == F::zero() {
                continue;
            }
            for (entry, value) in matrix[row].iter_mut().zip(&pivot_row) {
                *entry = *entry - factor * *value;
            }
            right[row] = right[row] - A::from(factor) * right[pivot];
        }
    }
    Some(right)
}

macro_rules! extension {
    ($name:ident, $base:ty, $degree:expr) => {
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct $name(pub [$base; $degree]);

        impl Extension for $name {
            type Base = $base;
            const DEGREE: usize = $degree;
            fn from_coordinates(coordinates: &[$base]) -> Self {
                $name(std::array::from_fn(|i| coordinates[i]))
            }
            fn coordinates(&self) -> &[$base] {
                &self.0
            }
        }
        impl From<$base> for $name {
            fn from(value: $base) -> Self {
                let mut coordinates = [<$base>::zero(); $degree];
                coordinates[0] = value;
                $name(coordinates)
            }
        }
        impl Add for $name {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                $name(std::array::from_fn(|i| self.0[i] + other.0[i]))
            }
        }
        impl Sub for $name {
            type Output = Self;
            fn sub(self, other: Self) -> Self {
                $name(std::array::from_fn(|i| self.0[i] - other.0[i]))
            }
        }
        impl Neg for $name {
            type Output = Self;
            fn neg(self) -> Self {
                $name(std::array::from_fn(|i| -self.0[i]))
            }
        }
    };
}

extension!(Gl3, Goldilocks, 3);
extension!(Gl2, Goldilocks, 2);
extension!(Cm31, M31, 2);
extension!(Qm31, M31, 4);

impl Mul for Gl3 {
    type Output = Self;
    /// φ³ = φ + 1 and φ⁴ = φ² + φ.
    fn mul(self, other: Self) -> Self {
        let (a, b) = (self.0, other.0);
        let c3 = a[1] * b[2] + a[2] * b[1];
        let c4 = a[2] * b[2];
        Gl3([
            a[0] * b[0] + c3,
            a[0] * b[1] + a[1] * b[0] + c3 + c4,
            a[0] * b[2] + a[1] * b[1] + a[2] * b[0] + c4,
        ])
    }
}

impl Mul for Gl2 {
    type Output = Self;
    /// φ² = 7.
    fn mul(self, other: Self) -> Self {
        let (a, b) = (self.0, other.0);
        let seven = Goldilocks::new(7);
        Gl2([a[0] * b[0] + seven * a[1] * b[1], a[0] * b[1] + a[1] * b[0]])
    }
}

impl Mul for Cm31 {
    type Output = Self;
    /// i² = −1.
    fn mul(self, other: Self) -> Self {
        let (a, b) = (self.0, other.0);
        Cm31([a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]])
    }
}

impl Mul for Qm31 {
    type Output = Self;
    /// u² = 2 + i.
    fn mul(self, other: Self) -> Self {
        let (a, b, c, d) = (self.re(), self.im(), other.re(), other.im());
        let two_plus_i = Cm31([M31::new(2), M31::one()]);
        Qm31::join(a * c + two_plus_i * b * d, a * d + b * c)
    }
}

impl From<Cm31> for Qm31 {
    fn from(value: Cm31) -> Self {
        Qm31::join(value, Cm31::zero())
    }
}

impl Qm31 {
    pub fn join(re: Cm31, im: Cm31) -> Self {
        Qm31([re.0[0], re.0[1], im.0[0], im.0[1]])
    }
    pub fn re(self) -> Cm31 {
        Cm31([self.0[0], self.0[1]])
    }
    pub fn im(self) -> Cm31 {
        Cm31([self.0[2], self.0[3]])
    }
}

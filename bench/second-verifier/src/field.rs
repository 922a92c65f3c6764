//! The two base fields. Products go through `u128 %`: slow, but plainly right.

use std::fmt::Debug;
use std::ops::{Add, Mul, Neg, Sub};

/// A commutative ring that contains the base field `F`: `F` itself or an extension of it.
pub trait Algebra<F>:
    Copy
    + PartialEq
    + Debug
    + From<F>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
{
}

impl<F, T> Algebra<F> for T where
    T: Copy
        + PartialEq
        + Debug
        + From<F>
        + Add<Output = T>
        + Sub<Output = T>
        + Mul<Output = T>
        + Neg<Output = T>
{
}

/// A prime field whose elements are kept canonical.
pub trait Field: Algebra<Self> + Eq + Send + Sync + 'static {
    const MODULUS: u64;
    const BYTES: usize;
    /// Width of a draw from the transcript.
    const DRAW_BITS: u32;

    /// The element of an integer that is taken modulo p.
    fn new(value: u64) -> Self;
    fn value(self) -> u64;

    fn zero() -> Self {
        Self::new(0)
    }
    fn one() -> Self {
        Self::new(1)
    }
    /// Negative integers stand for p − |x|.
    fn from_signed(value: i64) -> Self {
        let magnitude = Self::new(value.unsigned_abs());
        if value < 0 {
            -magnitude
        } else {
            magnitude
        }
    }
    /// An element from exactly `BYTES` bytes, if they are canonical.
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut word = [0u8; 8];
        word.get_mut(..bytes.len())?.copy_from_slice(bytes);
        let value = u64::from_le_bytes(word);
        (bytes.len() == Self::BYTES && value < Self::MODULUS).then(|| Self::new(value))
    }
    fn append_to(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.value().to_le_bytes()[..Self::BYTES]);
    }
    fn power(self, exponent: u64) -> Self {
        raise(Self::one(), self, exponent)
    }
    /// The inverse, if there is one.
    fn inverse(self) -> Option<Self> {
        (self != Self::zero()).then(|| self.power(Self::MODULUS - 2))
    }
}

/// `base^exponent` in any ring with this unit.
pub fn raise<A: Copy + Mul<Output = A>>(unit: A, base: A, mut exponent: u64) -> A {
    let mut square = base;
    let mut result = unit;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result * square;
        }
        square = square * square;
        exponent >>= 1;
    }
    result
}

macro_rules! prime_field {
    ($name:ident, $modulus:expr, $bytes:expr, $bits:expr) => {
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct $name(u64);

        impl Field for $name {
            const MODULUS: u64 = $modulus;
            const BYTES: usize = $bytes;
            const DRAW_BITS: u32 = $bits;
            fn new(value: u64) -> Self {
                $name(value % $modulus)
            }
            fn value(self) -> u64 {
                self.0
            }
        }
        impl Add for $name {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                $name(((self.0 as u128 + other.0 as u128) % $modulus as u128) as u64)
            }
        }
        impl Sub for $name {
            type Output = Self;
            fn sub(self, other: Self) -> Self {
                self + -other
            }
        }
        impl Neg for $name {
            type Output = Self;
            fn neg(self) -> Self {
                $name(($modulus - self.0) % $modulus)
            }
        }
        impl Mul for $name {
            type Output = Self;
            fn mul(self, other: Self) -> Self {
                $name(((self.0 as u128 * other.0 as u128) % $modulus as u128) as u64)
            }
        }
    };
}

prime_field!(Goldilocks, 0xFFFF_FFFF_0000_0001, 8, 64);
prime_field!(M31, 0x7FFF_FFFF, 4, 31);

/// ω_k = 7^((p−1)/2^k), the generator of the subgroup of order 2^k of Goldilocks.
pub fn root_of_unity(log_order: u32) -> Goldilocks {
    Goldilocks::new(7).power((Goldilocks::MODULUS - 1) >> log_order.min(63))
}

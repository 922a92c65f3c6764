//! Constraints as polynomials: what an AIR's constraints give when their variables are symbols (section 6).

use crate::field::Field;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::ops::{Add, Mul, Neg, Sub};

/// Coefficients, none zero, by degree and ascending variables: iteration is the canonical order.
type Terms = BTreeMap<(usize, Vec<u16>), u64>;

thread_local! {
    /// Polynomials by number, since those that constraints handle must be `Copy`.
    static POLYNOMIALS: RefCell<Vec<Terms>> = const { RefCell::new(Vec::new()) };
}

/// A polynomial over F, by its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Symbol<F> {
    index: usize,
    field: PhantomData<F>,
}

fn add_term<F: Field>(sum: &mut Terms, key: (usize, Vec<u16>), coefficient: F) {
    let total = F::new(sum.get(&key).copied().unwrap_or(0)) + coefficient;
    if total == F::zero() {
        sum.remove(&key);
    } else {
        sum.insert(key, total.value());
    }
}

impl<F: Field> Symbol<F> {
    pub fn variable(number: u16) -> Self {
        Self::store(BTreeMap::from([((1, vec![number]), 1)]))
    }

    fn store(terms: Terms) -> Self {
        POLYNOMIALS.with_borrow_mut(|all| {
            all.push(terms);
            Symbol {
                index: all.len() - 1,
                field: PhantomData,
            }
        })
    }

    fn terms(self) -> Terms {
        POLYNOMIALS.with_borrow(|all| all[self.index].clone())
    }

    fn plus(self, other: Self, sign: F) -> Self {
        let mut sum = self.terms();
        for (key, coefficient) in other.terms() {
            add_term(&mut sum, key, sign * F::new(coefficient));
        }
        Self::store(sum)
    }

    /// u32 number of terms, then each: coefficient, u8 degree, u16 variables.
    pub fn append_to(self, out: &mut Vec<u8>) {
        let terms = self.terms();
        out.extend_from_slice(&(terms.len() as u32).to_le_bytes());
        for ((degree, variables), coefficient) in terms {
            F::new(coefficient).append_to(out);
            out.push(degree as u8);
            for variable in variables {
                out.extend_from_slice(&variable.to_le_bytes());
            }
        }
    }

    /// Forgets all polynomials of this thread.
    pub fn clear() {
        POLYNOMIALS.with_borrow_mut(Vec::clear);
    }
}

impl<F: Field> From<F> for Symbol<F> {
    fn from(value: F) -> Self {
        let mut terms = Terms::new();
        add_term(&mut terms, (0, Vec::new()), value);
        Self::store(terms)
    }
}

impl<F: Field> Add for Symbol<F> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.plus(other, F::one())
    }
}

impl<F: Field> Sub for Symbol<F> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.plus(other, -F::one())
    }
}

impl<F: Field> Neg for Symbol<F> {
    type Output = Self;
    fn neg(self) -> Self {
        Self::store(Terms::new()).plus(self, -F::one())
    }
}

impl<F: Field> Mul for Symbol<F> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let mut product = Terms::new();
        let right = other.terms();
        for ((_, left_variables), left) in self.terms() {
            for ((_, right_variables), coefficient) in &right {
                let mut variables = [left_variables.as_slice(), right_variables].concat();
                variables.sort_unstable();
                let value = F::new(left) * F::new(*coefficient);
                add_term(&mut product, (variables.len(), variables), value);
            }
        }
        Self::store(product)
    }
}

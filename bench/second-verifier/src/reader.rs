//! Reading a proof: every step is bounded by the bytes that are left.

use crate::extension::Extension;
use crate::field::Field;
use crate::transcript::Digest;

/// Why a claim is not accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection(pub String);

impl Rejection {
    pub fn new(reason: impl Into<String>) -> Self {
        Rejection(reason.into())
    }
}

/// Turns a condition into a check.
pub fn require(condition: bool, reason: &str) -> Result<(), Rejection> {
    if condition {
        Ok(())
    } else {
        Err(Rejection::new(reason))
    }
}

pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader { rest: bytes }
    }

    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub fn bytes(&mut self, count: usize) -> Result<&'a [u8], Rejection> {
        if count > self.rest.len() {
            return Err(Rejection::new("the proof is too short"));
        }
        let (head, rest) = self.rest.split_at(count);
        self.rest = rest;
        Ok(head)
    }

    pub fn digest(&mut self) -> Result<Digest, Rejection> {
        let mut digest = [0u8; 32];
        digest.copy_from_slice(self.bytes(32)?);
        Ok(digest)
    }

    pub fn u64(&mut self) -> Result<u64, Rejection> {
        let mut word = [0u8; 8];
        word.copy_from_slice(self.bytes(8)?);
        Ok(u64::from_le_bytes(word))
    }

    pub fn base<F: Field>(&mut self) -> Result<F, Rejection> {
        F::from_bytes(self.bytes(F::BYTES)?)
            .ok_or_else(|| Rejection::new("an element is not below p"))
    }

    pub fn element<E: Extension>(&mut self) -> Result<E, Rejection> {
        let coordinates: Vec<E::Base> = (0..E::DEGREE)
            .map(|_| self.base())
            .collect::<Result<_, _>>()?;
        Ok(E::from_coordinates(&coordinates))
    }

    pub fn elements<E: Extension>(&mut self, count: usize) -> Result<Vec<E>, Rejection> {
        (0..count).map(|_| self.element()).collect()
    }
}

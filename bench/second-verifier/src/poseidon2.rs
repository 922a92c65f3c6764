//! Poseidon2 over both fields, its constants from the Grain generator, and the sponge.

use crate::field::{Algebra, Field, Goldilocks, M31};

/// The permutation that goes with a base field.
pub trait SpongeField: Field {
    const WIDTH: usize;
    const ALPHA: u64;
    const PARTIAL_ROUNDS: usize;
    /// Bits of a constant that the Grain generator makes.
    const GRAIN_BITS: usize;
    /// Bytes of a limb.
    const LIMB_BYTES: usize;
    /// M_I without its all-ones part.
    fn diagonal() -> Vec<Self>;
}

impl SpongeField for Goldilocks {
    const WIDTH: usize = 8;
    const ALPHA: u64 = 7;
    const PARTIAL_ROUNDS: usize = 22;
    const GRAIN_BITS: usize = 64;
    const LIMB_BYTES: usize = 7;
    fn diagonal() -> Vec<Self> {
        let half = Self::new(Self::MODULUS.div_ceil(2));
        let integer = Self::from_signed;
        vec![
            integer(-2),
            integer(1),
            integer(2),
            half,
            integer(3),
            -half,
            integer(-3),
            integer(-4),
        ]
    }
}

impl SpongeField for M31 {
    const WIDTH: usize = 16;
    const ALPHA: u64 = 5;
    const PARTIAL_ROUNDS: usize = 14;
    const GRAIN_BITS: usize = 31;
    const LIMB_BYTES: usize = 3;
    fn diagonal() -> Vec<Self> {
        let exponents = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 13, 14, 15, 16];
        let powers = exponents.iter().map(|&e| Self::new(1 << e));
        std::iter::once(Self::from_signed(-2))
            .chain(powers)
            .collect()
    }
}

/// M_E = circ(2·M4, M4, …, M4).
pub fn external<F: Field, A: Algebra<F>>(state: &[A]) -> Vec<A> {
    const M4: [[u64; 4]; 4] = [[2, 3, 1, 1], [1, 2, 3, 1], [1, 1, 2, 3], [3, 1, 1, 2]];
    let zero = A::from(F::zero());
    let blocks: Vec<Vec<A>> = state
        .chunks(4)
        .map(|block| {
            let row = |row: &[u64; 4]| {
                row.iter()
                    .zip(block)
                    .fold(zero, |sum, (&m, &s)| sum + A::from(F::new(m)) * s)
            };
            M4.iter().map(row).collect()
        })
        .collect();
    (0..state.len())
        .map(|i| {
            let sum = blocks.iter().fold(zero, |sum, block| sum + block[i % 4]);
            sum + blocks[i / 4][i % 4]
        })
        .collect()
}

/// M_I: the sum of all lanes plus the lane times its diagonal entry.
pub fn internal<F: SpongeField, A: Algebra<F>>(state: &[A]) -> Vec<A> {
    let sum = state.iter().fold(A::from(F::zero()), |sum, &s| sum + s);
    state
        .iter()
        .zip(F::diagonal())
        .map(|(&s, d)| sum + A::from(d) * s)
        .collect()
}

/// Shift register of 80 bits whose output makes the constants.
struct Grain {
    bits: [bool; 80],
    at: usize,
}

impl Grain {
    fn new<F: SpongeField>() -> Self {
        let parts: [(u64, usize); 6] = [
            (1, 2),
            (0, 4),
            (F::GRAIN_BITS as u64, 12),
            (F::WIDTH as u64, 12),
            (8, 10),
            (F::PARTIAL_ROUNDS as u64, 10),
        ];
        let mut bits = [true; 80];
        let mut at = 0;
        for (number, width) in parts {
            for bit in (0..width).rev() {
                bits[at] = number >> bit & 1 == 1;
                at += 1;
            }
        }
        let mut grain = Grain { bits, at: 0 };
        for _ in 0..160 {
            grain.clock();
        }
        grain
    }

    fn clock(&mut self) -> bool {
        let taps = [0, 13, 23, 38, 51, 62];
        let bit = taps
            .iter()
            .fold(false, |bit, tap| bit ^ self.bits[(self.at + tap) % 80]);
        self.bits[self.at] = bit;
        self.at = (self.at + 1) % 80;
        bit
    }

    fn counted_bit(&mut self) -> bool {
        loop {
            let counts = self.clock();
            let bit = self.clock();
            if counts {
                return bit;
            }
        }
    }

    fn constant<F: SpongeField>(&mut self) -> F {
        loop {
            let value = (0..F::GRAIN_BITS)
                .fold(0u64, |value, _| value << 1 | u64::from(self.counted_bit()));
            if value < F::MODULUS {
                return F::new(value);
            }
        }
    }
}

/// The round constants: a full round has as many as there are lanes, a partial round one.
pub struct Poseidon2<F> {
    pub rounds: Vec<Vec<F>>,
}

impl<F: SpongeField> Default for Poseidon2<F> {
    fn default() -> Self {
        let mut grain = Grain::new::<F>();
        let rounds = (0..8 + F::PARTIAL_ROUNDS)
            .map(|round| {
                let full = is_full::<F>(round);
                let count = if full { F::WIDTH } else { 1 };
                (0..count).map(|_| grain.constant()).collect()
            })
            .collect();
        Poseidon2 { rounds }
    }
}

/// Whether round `round` (from 0) is a full one.
pub fn is_full<F: SpongeField>(round: usize) -> bool {
    !(4..4 + F::PARTIAL_ROUNDS).contains(&round)
}

impl<F: SpongeField> Poseidon2<F> {
    pub fn permute(&self, state: &mut Vec<F>) {
        *state = external(state);
        for (round, constants) in self.rounds.iter().enumerate() {
            for (lane, &constant) in state.iter_mut().zip(constants) {
                *lane = (*lane + constant).power(F::ALPHA);
            }
            *state = if is_full::<F>(round) {
                external(state)
            } else {
                internal(state)
            };
        }
    }

    /// Absorbs bytes, padded by zeros to whole blocks.
    pub fn absorb(&self, state: &mut Vec<F>, bytes: &[u8]) {
        for block in bytes.chunks(block_bytes::<F>()) {
            for (lane, limb) in state.iter_mut().zip(limbs::<F>(block)) {
                *lane = *lane + limb;
            }
            self.permute(state);
        }
    }
}

/// Bytes of a block of the sponge.
pub fn block_bytes<F: SpongeField>() -> usize {
    F::WIDTH / 2 * F::LIMB_BYTES
}

/// Little-endian limbs of bytes, the last one padded by zeros.
pub fn limbs<F: SpongeField>(bytes: &[u8]) -> Vec<F> {
    bytes
        .chunks(F::LIMB_BYTES)
        .map(|limb| {
            let mut word = [0u8; 8];
            word[..limb.len()].copy_from_slice(limb);
            F::new(u64::from_le_bytes(word))
        })
        .collect()
}

/// The initial state of a tag and numbers: rate 0, the capacity holds the tag's limbs, the numbers, zeros.
pub fn initial_state<F: SpongeField>(tag: &str, numbers: &[u64]) -> Vec<F> {
    let mut state = vec![F::zero(); F::WIDTH / 2];
    state.extend(limbs::<F>(tag.as_bytes()));
    state.extend(numbers.iter().map(|&n| F::new(n)));
    state.resize(F::WIDTH, F::zero());
    state
}

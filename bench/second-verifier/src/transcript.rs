//! Keys, keyed hashes and the Fiat–Shamir transcript.

use crate::extension::Extension;
use crate::field::Field;

pub type Digest = [u8; 32];

/// H_label(m): BLAKE3 keyed with the hash of an ASCII label.
pub fn keyed_hash(label: &str, message: &[u8]) -> Digest {
    let key = *blake3::hash(label.as_bytes()).as_bytes();
    *blake3::keyed_hash(&key, message).as_bytes()
}

/// First u64 of a digest.
pub fn first_word(digest: &Digest) -> u64 {
    let mut word = [0u8; 8];
    word.copy_from_slice(&digest[..8]);
    u64::from_le_bytes(word)
}

#[derive(Default)]
pub struct Transcript {
    state: Digest,
    counter: u64,
    words: Vec<u64>,
}

impl Transcript {
    pub fn state(&self) -> Digest {
        self.state
    }

    pub fn absorb(&mut self, tag: u8, data: &[u8]) {
        let mut message = self.state.to_vec();
        message.push(tag);
        message.extend_from_slice(&(data.len() as u32).to_le_bytes());
        message.extend_from_slice(data);
        self.state = keyed_hash("svc/stark/v2/transcript", &message);
        self.counter = 0;
        self.words.clear();
    }

    fn word(&mut self) -> u64 {
        if self.words.is_empty() {
            let mut message = self.state.to_vec();
            message.extend_from_slice(&self.counter.to_le_bytes());
            self.counter += 1;
            let block = keyed_hash("svc/stark/v2/challenge", &message);
            for chunk in block.chunks(8).rev() {
                let mut word = [0u8; 8];
                word.copy_from_slice(chunk);
                self.words.push(u64::from_le_bytes(word));
            }
        }
        self.words.pop().unwrap_or(0)
    }

    pub fn draw_base<F: Field>(&mut self) -> F {
        loop {
            let candidate = self.word() & (u64::MAX >> (64 - F::DRAW_BITS));
            if candidate < F::MODULUS {
                return F::new(candidate);
            }
        }
    }

    pub fn draw<E: Extension>(&mut self) -> E {
        let coordinates: Vec<E::Base> = (0..E::DEGREE).map(|_| self.draw_base()).collect();
        E::from_coordinates(&coordinates)
    }

    /// A position in [0, 2^bits).
    pub fn draw_position(&mut self, bits: u32) -> usize {
        (self.word() & ((1u64 << bits) - 1)) as usize
    }
}

/// Whether a nonce earns `bits` zero bits from `seed`.
pub fn nonce_suffices(seed: &Digest, nonce: u64, bits: u32) -> bool {
    let mut message = seed.to_vec();
    message.extend_from_slice(&nonce.to_le_bytes());
    let word = first_word(&keyed_hash("svc/stark/v2/grind", &message));
    word & ((1u64 << bits) - 1) == 0
}

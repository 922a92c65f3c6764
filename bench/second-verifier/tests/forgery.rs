//! A cheating prover, for the checks that changed bytes alone do not reach. Of the trace of zeros all polynomials are
//! zero and all leaves of a tree alike, so that a whole proof can be made here; a cheat then departs in one place.

use second_verifier::merkle::{leaf_hash, node_hash};
use second_verifier::transcript::{nonce_suffices, Digest, Transcript};
use second_verifier::verify::{verify, Claim};
use serde_json::{json, Value};
use std::collections::{BTreeMap, BTreeSet};

const LOG_LENGTH: u32 = 12;
const LOG_BLOWUP: u32 = 5;
const GRINDING: u32 = 16;
const ID: &str = "raw/fibonacci/v1";

/// What the prover does otherwise than an honest one.
#[derive(Clone, Copy, Default)]
struct Cheat {
    result: u64,
    reserved_byte: u8,
    queries_less: usize,
    final_constant: u8,
    layer_value: u8,
    lazy_nonce: bool,
}

struct Prover {
    profile: u8,
    base_bytes: usize,
    extension_bytes: usize,
    queries: usize,
    /// AIR digest.
    air: Digest,
    /// Bytes of the out-of-domain values and of the overflow.
    values: usize,
    overflow: usize,
}

/// Level hashes of a tree whose leaves are all the same, the leaves' first.
fn levels(leaf: &[u8], leaf_count: usize) -> Vec<Digest> {
    let mut levels = vec![leaf_hash(leaf)];
    while leaf_count >> (levels.len() - 1) > 16 {
        let last = levels[levels.len() - 1];
        levels.push(node_hash(&last, &last));
    }
    levels
}

fn cap(levels: &[Digest]) -> Vec<u8> {
    levels[levels.len() - 1].repeat(16)
}

/// The multiproof of a set of leaves of such a tree.
fn multiproof(levels: &[Digest], leaves: &BTreeSet<usize>) -> Vec<u8> {
    let mut known = leaves.clone();
    let mut nodes = Vec::new();
    for level in &levels[..levels.len() - 1] {
        for index in &known {
            if !known.contains(&(index ^ 1)) {
                nodes.extend_from_slice(level);
            }
        }
        known = known.iter().map(|index| index >> 1).collect();
    }
    nodes
}

impl Prover {
    fn over(profile: u8) -> Prover {
        use second_verifier::airs::Air;
        use second_verifier::field::{Goldilocks, M31};
        let air = Air::find(ID).expect("an AIR");
        let circle = profile == 3;
        Prover {
            profile,
            base_bytes: if circle { 4 } else { 8 },
            extension_bytes: [24, 16, 16][usize::from(profile) - 1],
            queries: [34, 17, 18][usize::from(profile) - 1],
            air: if circle {
                air.digest::<M31>(3)
            } else {
                air.digest::<Goldilocks>(3)
            },
            values: if circle { 8 } else { 5 },
            overflow: if circle { 48 } else { 0 },
        }
    }

    fn inputs(&self, cheat: Cheat) -> Value {
        json!({ "rows": 64, "first": "0", "second": "0", "result": cheat.result.to_string() })
    }

    fn header(&self, cheat: Cheat) -> Vec<u8> {
        let mut header = b"SVCSTARK\x03\x00".to_vec();
        header.extend([self.profile, LOG_LENGTH as u8, LOG_BLOWUP as u8]);
        header.push(GRINDING as u8);
        header.extend_from_slice(&((self.queries - cheat.queries_less) as u16).to_le_bytes());
        header.extend([0, 0, 0, cheat.reserved_byte]);
        header
    }

    /// An element of E with this first coordinate.
    fn element(&self, value: u8) -> Vec<u8> {
        let mut bytes = vec![0; self.extension_bytes];
        bytes[0] = value;
        bytes
    }

    fn statement(&self, cheat: Cheat) -> Vec<u8> {
        let mut message = self.header(cheat);
        message.extend_from_slice(&(ID.len() as u32).to_le_bytes());
        message.extend_from_slice(ID.as_bytes());
        message.extend_from_slice(&self.air);
        message.extend_from_slice(&0u32.to_le_bytes());
        message.extend_from_slice(&4u32.to_le_bytes());
        for element in [64, 0, 0, cheat.result] {
            message.extend_from_slice(&element.to_le_bytes()[..self.base_bytes]);
        }
        message.extend_from_slice(&3u32.to_le_bytes());
        for (column, row, value) in [(0u32, 0u32, 0), (1, 0, 0), (1, 63, cheat.result)] {
            message.extend_from_slice(&column.to_le_bytes());
            message.extend_from_slice(&row.to_le_bytes());
            message.extend_from_slice(&value.to_le_bytes()[..self.base_bytes]);
        }
        message
    }

    fn prove(&self, cheat: Cheat) -> Vec<u8> {
        let leaves = 1usize << (LOG_LENGTH + LOG_BLOWUP - 3);
        let trace_leaf = vec![0; 8 * 2 * self.base_bytes];
        let composition_leaf = vec![0; 8 * self.extension_bytes];
        let layer_leaf = self.element(cheat.layer_value).repeat(8);
        let trace = levels(&trace_leaf, leaves);
        let composition = levels(&composition_leaf, leaves);
        let layer = levels(&layer_leaf, leaves / 8);
        let overflow = vec![0; self.overflow];
        let values = vec![0; self.values * self.extension_bytes];
        let mut last = self.element(cheat.final_constant);
        last.resize((1 << (LOG_LENGTH - 6)) * self.extension_bytes, 0);

        let mut transcript = Transcript::default();
        transcript.absorb(1, &self.statement(cheat));
        transcript.absorb(2, &cap(&trace));
        transcript.absorb(3, &[cap(&composition), overflow.clone()].concat());
        transcript.absorb(4, &values);
        transcript.absorb(5, &cap(&layer));
        transcript.absorb(6, &last);
        let seed = transcript.state();
        let nonce = (0..1 << 24)
            .find(|&nonce| nonce_suffices(&seed, nonce, GRINDING) != cheat.lazy_nonce)
            .expect("a nonce");
        transcript.absorb(7, &u64::to_le_bytes(nonce));
        let bits = leaves.trailing_zeros();
        let draws = 0..self.queries - cheat.queries_less;
        let positions: BTreeSet<usize> = draws.map(|_| transcript.draw_position(bits)).collect();

        let mut proof = self.header(cheat);
        for part in [
            cap(&trace),
            cap(&composition),
            overflow,
            values,
            cap(&layer),
        ] {
            proof.extend(part);
        }
        proof.extend(last);
        proof.extend_from_slice(&nonce.to_le_bytes());
        proof.extend(trace_leaf.repeat(positions.len()));
        proof.extend(multiproof(&trace, &positions));
        proof.extend(composition_leaf.repeat(positions.len()));
        proof.extend(multiproof(&composition, &positions));
        let mut determined: BTreeMap<usize, usize> = BTreeMap::new();
        for position in positions {
            let leaf = if self.profile == 3 {
                position / 8
            } else {
                position % (leaves / 8)
            };
            *determined.entry(leaf).or_default() += 1;
        }
        for slots in determined.values() {
            proof.extend(self.element(cheat.layer_value).repeat(8 - slots));
        }
        proof.extend(multiproof(&layer, &determined.into_keys().collect()));
        proof
    }

    fn verdict(&self, cheat: Cheat) -> Result<(), String> {
        let inputs = self.inputs(cheat);
        let claim = Claim {
            air_id: ID,
            air: None,
            context_domain: "",
            public_inputs: &inputs,
            trace_length: None,
        };
        verify(&claim, &self.prove(cheat), 0)
            .map(|_| ())
            .map_err(|rejection| rejection.0)
    }
}

fn all_refuse(cheat: Cheat, reason: &str) {
    for profile in 1..=3 {
        let verdict = Prover::over(profile).verdict(cheat);
        assert_eq!(verdict, Err(reason.to_string()), "profile {profile}");
    }
}

#[test]
fn the_honest_proof_of_the_trace_of_zeros_verifies() {
    for profile in 1..=3 {
        assert_eq!(Prover::over(profile).verdict(Cheat::default()), Ok(()));
    }
}

#[test]
fn a_false_statement_fails_at_the_out_of_domain_point() {
    all_refuse(
        Cheat {
            result: 1,
            ..Cheat::default()
        },
        "the out-of-domain values do not satisfy the constraints",
    );
}

#[test]
fn another_final_polynomial_fails_at_the_folds() {
    all_refuse(
        Cheat {
            final_constant: 1,
            ..Cheat::default()
        },
        "a fold differs from the final polynomial",
    );
}

#[test]
fn a_layer_that_is_not_the_fold_fails_under_its_cap() {
    all_refuse(
        Cheat {
            layer_value: 1,
            final_constant: 1,
            ..Cheat::default()
        },
        "an opening does not lie under its cap",
    );
}

#[test]
fn work_that_was_not_done_fails() {
    all_refuse(
        Cheat {
            lazy_nonce: true,
            ..Cheat::default()
        },
        "the nonce misses its zero bits",
    );
}

#[test]
fn fewer_queries_than_a_set_prescribes_fail() {
    all_refuse(
        Cheat {
            queries_less: 1,
            ..Cheat::default()
        },
        "parameters of no published parameter set",
    );
}

#[test]
fn reserved_header_bytes_must_be_zero() {
    all_refuse(
        Cheat {
            reserved_byte: 1,
            ..Cheat::default()
        },
        "a header outside the allowed values",
    );
}

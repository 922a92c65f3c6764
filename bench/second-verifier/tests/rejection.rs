//! Real proofs verify; nothing that differs from them does, and nothing panics.

use second_verifier::transcript::Transcript;
use second_verifier::verify::{verify, Claim};
use serde_json::{json, Value};
use std::path::{Path, PathBuf};

struct Sample {
    claim: Value,
    proof: Vec<u8>,
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/proofs")
}

fn samples() -> Vec<Sample> {
    let text = std::fs::read_to_string(directory().join("claims.jsonl")).expect("claims");
    text.lines()
        .map(|line| {
            let claim: Value = serde_json::from_str(line).expect("a claim");
            let file = claim["proofFile"].as_str().expect("a path");
            let proof = std::fs::read(directory().join(file)).expect("a proof");
            Sample { claim, proof }
        })
        .collect()
}

impl Sample {
    fn claim(&self) -> Claim<'_> {
        Claim {
            air_id: self.claim["airId"].as_str().expect("an id"),
            air: self.claim.get("air").and_then(Value::as_str),
            context_domain: self.claim["contextDomain"].as_str().expect("a context"),
            public_inputs: &self.claim["publicInputs"],
            trace_length: None,
        }
    }

    fn accepts(&self, proof: &[u8]) -> bool {
        verify(&self.claim(), proof, 0).is_ok()
    }
}

#[test]
fn honest_proofs_of_every_profile_verify() {
    let samples = samples();
    assert_eq!(samples.len(), 9);
    for sample in &samples {
        assert!(verify(&sample.claim(), &sample.proof, 0).is_ok());
    }
}

#[test]
fn no_byte_of_a_proof_can_change() {
    // A sample that covers all sections; BYTE_STEP=1 takes every byte (minutes).
    let step = std::env::var("BYTE_STEP").map_or(101, |step| step.parse().expect("a number"));
    for sample in samples() {
        let mut positions: Vec<usize> = (0..sample.proof.len()).step_by(step).collect();
        positions.extend(0..20);
        for position in positions {
            let mut proof = sample.proof.clone();
            proof[position] ^= 1 << (position % 8);
            assert!(!sample.accepts(&proof), "byte {position}");
        }
    }
}

#[test]
fn a_proof_has_exactly_its_bytes() {
    for sample in samples() {
        for length in (0..sample.proof.len()).step_by(97) {
            assert!(!sample.accepts(&sample.proof[..length]));
        }
        assert!(!sample.accepts(&sample.proof[..sample.proof.len() - 1]));
        assert!(!sample.accepts(&[&sample.proof[..], &[0]].concat()));
    }
}

#[test]
fn a_proof_is_of_its_statement_alone() {
    for sample in samples() {
        let proof = &sample.proof;
        let context = Claim {
            context_domain: "another",
            ..sample.claim()
        };
        assert!(verify(&context, proof, 0).is_err());
        let mut inputs = sample.claim["publicInputs"].clone();
        let number = inputs
            .as_object_mut()
            .expect("an object")
            .values_mut()
            .find(|value| value.is_u64())
            .expect("a number of rows, bytes or blocks");
        *number = json!(number.as_u64().expect("an integer") - 1);
        let fewer = Claim {
            public_inputs: &inputs,
            ..sample.claim()
        };
        assert!(verify(&fewer, proof, 0).is_err());
        let air = Claim {
            air_id: "raw/cubic8/v1",
            ..sample.claim()
        };
        assert!(verify(&air, proof, 0).is_err());
    }
}

#[test]
fn public_inputs_have_exactly_their_fields_in_their_shapes() {
    let samples = samples();
    let sample = &samples[0];
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut inputs = sample.claim["publicInputs"].clone();
        change(&mut inputs);
        let claim = Claim {
            public_inputs: &inputs,
            ..sample.claim()
        };
        verify(&claim, &sample.proof, 0).is_err()
    };
    assert!(!refused(&|_| ()));
    assert!(refused(&|inputs| inputs["more"] = json!(1)));
    assert!(refused(&|inputs| *inputs = json!([])));
    assert!(refused(&|inputs| *inputs = Value::Null));
    for rows in [
        json!(1),
        json!(1 << 21),
        json!(-2),
        json!(39.5),
        json!("39"),
    ] {
        assert!(refused(&|inputs| inputs["rows"] = rows.clone()));
    }
    // The same value in another form is the same statement.
    let start = sample.claim["publicInputs"]["start"].as_str().expect("hex");
    let value = u64::from_str_radix(&start[2..], 16).expect("hex");
    assert!(!refused(
        &|inputs| inputs["start"] = json!(value.to_string())
    ));
    for text in [
        format!("0{value}"),
        format!("+{value}"),
        format!("0x0{:016x}", value),
        format!("{}", u128::from(value) + 0xffff_ffff_0000_0001),
        "0xffffffff00000001".into(),
        String::new(),
        "0x".into(),
    ] {
        assert!(refused(&|inputs| inputs["start"] = json!(text)), "{text}");
    }
}

#[test]
fn the_policy_decides_on_parameters_length_and_security() {
    for sample in samples() {
        let length = 1 << sample.proof[11];
        let with_length = |trace_length| {
            let claim = Claim {
                trace_length: Some(trace_length),
                ..sample.claim()
            };
            verify(&claim, &sample.proof, 0).is_ok()
        };
        assert!(with_length(length));
        assert!(!with_length(2 * length));
        assert!(verify(&sample.claim(), &sample.proof, 129).is_err());
    }
}

#[test]
fn nothing_panics_on_arbitrary_bytes() {
    let samples = samples();
    let mut source = Transcript::default();
    source.absorb(1, b"arbitrary bytes");
    for round in 0..400 {
        let sample = &samples[round % samples.len()];
        // A valid header, and for every other round a valid beginning, then noise.
        let kept = if round % 2 == 0 {
            20
        } else {
            20 + source.draw_position(13)
        };
        let mut proof = sample.proof[..kept.min(sample.proof.len())].to_vec();
        for _ in 0..source.draw_position(12) {
            proof.extend_from_slice(&(source.draw_position(32) as u32).to_le_bytes());
        }
        // Any header field may be any byte.
        if round % 3 == 0 {
            proof[10 + source.draw_position(3)] = source.draw_position(6) as u8;
        }
        assert!(!sample.accepts(&proof));
    }
}

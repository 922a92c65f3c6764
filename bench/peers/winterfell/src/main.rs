//! `peer-winterfell LOG2_ROWS QUERIES GRINDING_BITS LOG2_FINAL RUNS`: proves cubic8 that often after one run that is
//! not counted, with a final polynomial of at most 2^LOG2_FINAL coefficients, on RAYON_NUM_THREADS threads, and prints
//! one line of JSON with the times of each run.

mod cubic8;

use std::time::Instant;

use cubic8::{Coin, Commitment, Cubic8Air, Cubic8Prover, Hash, build_trace, public_inputs};
use winterfell::{AcceptableOptions, BatchingMethod, FieldExtension, Proof, ProofOptions, Prover, verify};

const BLOWUP: usize = 8;
const FOLDING: usize = 8;

struct Run {
    trace_ms: f64,
    prove_ms: f64,
    verify_ms: f64,
    bytes: usize,
}

fn milliseconds_since(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}

fn run(log2_rows: u32, options: &ProofOptions) -> Run {
    let start = Instant::now();
    let trace = build_trace(1 << log2_rows);
    let trace_ms = milliseconds_since(start);
    let public = public_inputs(&trace);

    let start = Instant::now();
    let proof = Cubic8Prover {
        options: options.clone(),
    }
    .prove(trace)
    .expect("the trace is valid");
    let bytes = proof.to_bytes();
    let prove_ms = milliseconds_since(start);

    let acceptable = AcceptableOptions::OptionSet(vec![options.clone()]);
    let start = Instant::now();
    let proof = Proof::from_bytes(&bytes).expect("the proof parses");
    verify::<Cubic8Air, Hash, Coin, Commitment>(proof, public.clone(), &acceptable)
        .expect("the proof verifies");
    let verify_ms = milliseconds_since(start);

    let mut wrong = public;
    wrong.output[0] += 1u32.into();
    let proof = Proof::from_bytes(&bytes).expect("the proof parses");
    assert!(
        verify::<Cubic8Air, Hash, Coin, Commitment>(proof, wrong, &acceptable).is_err(),
        "a wrong output was accepted"
    );
    Run {
        trace_ms,
        prove_ms,
        verify_ms,
        bytes: bytes.len(),
    }
}

fn peak_rss_kib() -> i64 {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: getrusage fills the struct it is given, and zeroes are a valid value of it.
    unsafe {
        libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr());
        usage.assume_init().ru_maxrss
    }
}

fn main() {
    let arguments: Vec<u32> = std::env::args()
        .skip(1)
        .map(|text| text.parse().expect("a number"))
        .collect();
    let [log2_rows, queries, grinding, log2_final, runs] = arguments[..] else {
        panic!("usage: peer-winterfell LOG2_ROWS QUERIES GRINDING_BITS LOG2_FINAL RUNS");
    };
    let options = ProofOptions::new(
        queries as usize,
        BLOWUP,
        grinding,
        FieldExtension::Quadratic,
        FOLDING,
        (1 << log2_final) - 1,
        BatchingMethod::Algebraic,
        BatchingMethod::Algebraic,
    );
    run(log2_rows, &options);
    let runs: Vec<Run> = (0..runs).map(|_| run(log2_rows, &options)).collect();
    let list = |of: fn(&Run) -> f64| {
        runs.iter()
            .map(|run| format!("{:.4}", of(run)))
            .collect::<Vec<_>>()
            .join(",")
    };
    println!(
        "{{\"peer\":\"winterfell\",\"log2Rows\":{log2_rows},\"queries\":{queries},\"grindingBits\":{grinding},\"threads\":{},\
         \"traceMs\":[{}],\"proveMs\":[{}],\"verifyMs\":[{}],\"proofBytes\":{},\"peakRssKib\":{}}}",
        rayon::current_num_threads(),
        list(|run| run.trace_ms),
        list(|run| run.prove_ms),
        list(|run| run.verify_ms),
        runs.iter().map(|run| run.bytes).max().unwrap_or(0),
        peak_rss_kib(),
    );
}

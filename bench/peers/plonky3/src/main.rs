//! `peer-plonky3 goldilocks|circle LOG2_ROWS QUERIES GRINDING_BITS LOG2_FINAL RUNS`: proves cubic8 that often after one
//! run that is not counted, with a final polynomial of at most 2^LOG2_FINAL coefficients (goldilocks alone), on
//! RAYON_NUM_THREADS threads, and prints one line of JSON with the times of each run.

mod config;
mod cubic8;

use std::time::Instant;

use cubic8::{Cubic8, build_trace, public_values};
use p3_challenger::GrindingChallenger;
use p3_field::{PrimeCharacteristicRing, PrimeField64};
use p3_uni_stark::{Proof, StarkGenericConfig, Val, prove, verify};

struct Run {
    trace_ms: f64,
    prove_ms: f64,
    verify_ms: f64,
    bytes: usize,
}

fn milliseconds_since(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}

fn run<SC>(config: &SC, log2_rows: usize) -> Run
where
    SC: StarkGenericConfig,
    SC::Challenger: GrindingChallenger<Witness = Val<SC>>,
    Val<SC>: PrimeField64,
{
    let start = Instant::now();
    let trace = build_trace::<Val<SC>>(1 << log2_rows);
    let trace_ms = milliseconds_since(start);
    let mut public = public_values(&trace);

    let start = Instant::now();
    let proof = prove(config, &Cubic8, trace, &public).expect("the trace is valid");
    let bytes = postcard::to_allocvec(&proof).expect("the proof is serialisable");
    let prove_ms = milliseconds_since(start);

    let start = Instant::now();
    let proof: Proof<SC> = postcard::from_bytes(&bytes).expect("the proof parses");
    assert!(
        verify(config, &Cubic8, &proof, &public).is_ok(),
        "the proof does not verify"
    );
    let verify_ms = milliseconds_since(start);

    public[0] += Val::<SC>::ONE;
    assert!(
        verify(config, &Cubic8, &proof, &public).is_err(),
        "a wrong input was accepted"
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
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [field, numbers @ ..] = &arguments[..] else {
        panic!("usage: peer-plonky3 goldilocks|circle LOG2_ROWS QUERIES GRINDING_BITS LOG2_FINAL RUNS");
    };
    let numbers: Vec<usize> = numbers
        .iter()
        .map(|text| text.parse().expect("a number"))
        .collect();
    let [log2_rows, queries, grinding, log2_final, run_count] = numbers[..] else {
        panic!("five numbers are needed: LOG2_ROWS QUERIES GRINDING_BITS LOG2_FINAL RUNS");
    };
    let runs: Vec<Run> = match field.as_str() {
        "goldilocks" => {
            let config = config::goldilocks(queries, grinding, log2_final);
            (0..=run_count).map(|_| run(&config, log2_rows)).skip(1).collect()
        }
        "circle" => {
            let config = config::circle(queries, grinding);
            (0..=run_count).map(|_| run(&config, log2_rows)).skip(1).collect()
        }
        other => panic!("the field must be goldilocks or circle, got {other}"),
    };
    let list = |of: fn(&Run) -> f64| {
        runs.iter()
            .map(|run| format!("{:.4}", of(run)))
            .collect::<Vec<_>>()
            .join(",")
    };
    println!(
        "{{\"peer\":\"plonky3-{field}\",\"log2Rows\":{log2_rows},\"queries\":{queries},\"grindingBits\":{grinding},\"threads\":{},\
         \"traceMs\":[{}],\"proveMs\":[{}],\"verifyMs\":[{}],\"proofBytes\":{},\"peakRssKib\":{}}}",
        rayon::current_num_threads(),
        list(|run| run.trace_ms),
        list(|run| run.prove_ms),
        list(|run| run.verify_ms),
        runs.iter().map(|run| run.bytes).max().unwrap_or(0),
        peak_rss_kib(),
    );
}

//! `second-verifier <directory> [--min-security <bits>]`: verifies the claims of a directory.

use second_verifier::own::Definition;
use second_verifier::security::Security;
use second_verifier::verify::{verify, Claim};
use serde_json::{json, Value};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

struct Options {
    directory: String,
    least_bits: u32,
}

fn options() -> Option<Options> {
    let mut directory = None;
    let mut least_bits = 0;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--min-security" {
            least_bits = arguments.next()?.parse().ok()?;
        } else if directory.replace(argument).is_some() {
            return None;
        }
    }
    directory.map(|directory| Options {
        directory,
        least_bits,
    })
}

fn check(line: &Value, options: &Options) -> Result<Security, String> {
    let text = |name: &str| {
        line.get(name)
            .and_then(Value::as_str)
            .ok_or_else(|| format!("the claim has no string {name}"))
    };
    let trace_length = match line.get("traceLength") {
        None | Some(Value::Null) => None,
        Some(value) => Some(value.as_u64().ok_or("traceLength is no integer")?),
    };
    let air = match line.get("air") {
        None => None,
        Some(Value::String(text)) => Some(text.as_str()),
        Some(_) => return Err("air is no string".into()),
    };
    let path = Path::new(&options.directory).join(text("proofFile")?);
    let proof = std::fs::read(path).map_err(|error| format!("the proof file: {error}"))?;
    let claim = Claim {
        air_id: text("airId")?,
        air,
        context_domain: text("contextDomain")?,
        public_inputs: line.get("publicInputs").unwrap_or(&Value::Null),
        trace_length,
    };
    verify(&claim, &proof, options.least_bits).map_err(|rejection| rejection.0)
}

fn answer(line: &[u8], options: &Options) -> String {
    let (id, result, definition) = match serde_json::from_slice::<Value>(line) {
        Ok(value) => {
            let id = value.get("id").cloned().unwrap_or(Value::Null);
            let text = value.get("air").and_then(Value::as_str);
            let definition = text.and_then(|text| Definition::read(text).ok());
            (id, check(&value, options), definition)
        }
        // A lone surrogate, for one, is no JSON text that this parser takes: the id is looked for by hand.
        Err(error) => (
            id_of(line),
            Err(format!("the claim does not parse: {error}")),
            None,
        ),
    };
    let reason = result.as_ref().err().map_or("", String::as_str);
    let figure = |of: fn(&Security) -> u32| result.as_ref().ok().map(of);
    json!({
        "id": id,
        "valid": result.is_ok(),
        "reason": reason,
        "securityBits": figure(|security| security.proven),
        "conjecturedSecurityBits": figure(|security| security.heuristic),
        // What the text beside the proof is read as, whatever the proof is worth.
        "definition": definition.map(|definition| definition.id()),
    })
    .to_string()
}

/// The first id in a claim that does not parse.
fn id_of(line: &[u8]) -> Value {
    let text = String::from_utf8_lossy(line);
    let rest = text.split_once("\"id\":\"").map_or("", |(_, rest)| rest);
    Value::from(rest.split('"').next().unwrap_or(""))
}

fn main() -> ExitCode {
    let Some(options) = options() else {
        eprintln!("usage: second-verifier <directory> [--min-security <bits>]");
        return ExitCode::from(2);
    };
    let file = Path::new(&options.directory).join("claims.jsonl");
    let text = match std::fs::read(&file) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{}: {error}", file.display());
            return ExitCode::from(2);
        }
    };
    let lines: Vec<&[u8]> = text
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.trim_ascii().is_empty())
        .collect();
    let next = AtomicUsize::new(0);
    let answers = Mutex::new(vec![String::new(); lines.len()]);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(line) = lines.get(index) else { break };
                let result = answer(line, &options);
                if let Ok(mut answers) = answers.lock() {
                    answers[index] = result;
                }
            });
        }
    });
    for answer in answers.into_inner().unwrap_or_default() {
        println!("{answer}");
    }
    ExitCode::SUCCESS
}

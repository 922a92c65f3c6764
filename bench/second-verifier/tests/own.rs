//! Definitions: the known answers that stand beside, and what a text must not be.

use second_verifier::own::definition::Definition;
use second_verifier::own::json::Json;
use second_verifier::verify::{state_after_statement, verify, Claim};
use serde_json::{json, Value};

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().expect("a text")
}

fn base64(text: &str) -> Vec<u8> {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bits, mut count, mut bytes) = (0u32, 0, Vec::new());
    for character in text.bytes().filter(|&byte| byte != b'=') {
        let digit = ALPHABET.iter().position(|&known| known == character);
        bits = bits << 6 | digit.expect("a digit") as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}

fn vectors() -> Value {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("own-vectors.json");
    let text = std::fs::read_to_string(file).expect("the known answers");
    serde_json::from_str(&text).expect("JSON")
}

fn definitions() -> Vec<Value> {
    let definitions = vectors()["definitions"].clone();
    definitions.as_array().expect("a list").clone()
}

fn claim_of(vector: &Value) -> Claim<'_> {
    Claim {
        air_id: text(vector, "id"),
        air: Some(text(vector, "text")),
        context_domain: text(vector, "contextDomain"),
        public_inputs: &vector["publicInputs"],
        trace_length: Some(64),
    }
}

fn proof_of(vector: &Value) -> Vec<u8> {
    base64(text(vector, "proof"))
}

/// Whether a text is refused, by what its reader says.
fn fault_of(text: &str) -> Option<String> {
    Definition::read(text).err().map(|rejection| rejection.0)
}

#[test]
fn the_known_answers_hold() {
    let definitions = definitions();
    assert_eq!(definitions.len(), 3);
    for vector in &definitions {
        let definition = Definition::read(text(vector, "text")).expect("a definition");
        let canonical = Json::parse(text(vector, "text")).expect("JSON").canonical();
        assert_eq!(canonical, text(vector, "canonical"));
        assert_eq!(definition.id(), text(vector, "id"));
        assert_eq!(hex(&definition.digest()), text(vector, "airDigest"));
        let (claim, proof) = (claim_of(vector), proof_of(vector));
        let state = state_after_statement(&claim, &proof).expect("a statement");
        assert_eq!(hex(&state), text(vector, "stateAfterStatement"));
        assert!(verify(&claim, &proof, 0).is_ok());
    }
}

#[test]
fn the_example_that_is_written_by_hand_has_the_id_that_its_page_says() {
    let page = include_str!("../../../docs/own-statements.md");
    let (_, rest) = page.split_once("```json\n").expect("an example");
    let (example, rest) = rest.split_once("```").expect("its end");
    let (_, rest) = rest.split_once("id      ").expect("its id");
    let id = Definition::read(example).expect("a definition").id();
    assert_eq!(rest.split_once('\n').map(|(id, _)| id), Some(id.as_str()));
}

#[test]
fn texts_that_are_no_definition_are_refused() {
    let vectors = vectors();
    let refused = vectors["refused"].as_array().expect("a list");
    assert!(refused.len() > 40);
    for case in refused {
        assert!(fault_of(text(case, "text")).is_some(), "{}", case["why"]);
    }
}

#[test]
fn a_proof_is_of_its_definition_alone() {
    let definitions = definitions();
    for vector in &definitions {
        let (proof, original) = (proof_of(vector), claim_of(vector));
        let verdict = |air_id: &str, air: Option<&str>| {
            let claim = Claim {
                air_id,
                air,
                ..claim_of(vector)
            };
            let verdict = verify(&claim, &proof, 0);
            verdict.map_or_else(|fault| fault.0, |_| "valid".to_string())
        };
        let (id, canonical) = (original.air_id, text(vector, "canonical"));
        assert_eq!(verdict(id, original.air), "valid");
        assert_eq!(verdict(id, Some(canonical)), "valid");
        assert_eq!(verdict(id, None), "the definition is missing");
        let known = verdict("raw/fibonacci/v1", original.air);
        assert_eq!(known, "a definition beside an AIR that needs none");
        assert_eq!(verdict("own/v1", original.air), "an unknown AIR");
        let upper = id.to_uppercase();
        assert_eq!(verdict(&upper, original.air), "an unknown AIR");
        // A name proves nothing, but it is part of what is hashed.
        let constraint = r#""constraints":[{"name":""#;
        let renamed = canonical.replace(constraint, &format!("{constraint}x"));
        let mismatch = "the definition has another id";
        assert_eq!(verdict(id, Some(&renamed)), mismatch);
        let renamed_id = Definition::read(&renamed).expect("a definition").id();
        assert_eq!(verdict(&renamed_id, original.air), mismatch);
        assert_eq!(
            verdict(&renamed_id, Some(&renamed)),
            "the out-of-domain values do not satisfy the constraints"
        );
        let swapped = if canonical.contains("goldilocks") {
            canonical.replace("goldilocks", "m31")
        } else {
            canonical.replace("m31", "goldilocks")
        };
        let swapped_id = Definition::read(&swapped).expect("a definition").id();
        assert_eq!(
            verdict(&swapped_id, Some(&swapped)),
            "the AIR is not defined over the profile's field"
        );
    }
}

#[test]
fn no_definition_is_in_a_proof_of_version_2() {
    for vector in &definitions() {
        let mut proof = proof_of(vector);
        proof[8] = 2;
        let verdict = verify(&claim_of(vector), &proof, 0).map_err(|fault| fault.0);
        assert_eq!(verdict, Err("a definition under version 2".to_string()));
    }
}

#[test]
fn public_inputs_are_rows_within_the_trace_and_the_names_of_the_definition() {
    for vector in &definitions() {
        let proof = proof_of(vector);
        let holds = |change: &dyn Fn(&mut Value)| {
            let mut inputs = vector["publicInputs"].clone();
            change(&mut inputs);
            let claim = Claim {
                public_inputs: &inputs,
                ..claim_of(vector)
            };
            state_after_statement(&claim, &proof).is_ok()
        };
        assert!(holds(&|_| ()));
        for rows in [2, 3, 63] {
            assert!(holds(&|inputs| inputs["rows"] = json!(rows)), "{rows}");
        }
        for rows in [json!(0), json!(1), json!(64), json!(2.5), json!("4")] {
            assert!(!holds(&|inputs| inputs["rows"] = rows.clone()), "{rows}");
        }
        assert!(!holds(&|inputs| inputs["more"] = json!("1")));
        assert!(!holds(&|inputs| *inputs = json!({ "rows": 4 })));
        assert!(!holds(&|inputs| *inputs = Value::Null));
    }
}

/// A definition of one column, with boundaries as they are given.
fn with_boundary(boundary: Value) -> Definition {
    let text = json!({
        "format": "air/1", "field": "m31", "columns": ["x"], "public": [], "periodic": [],
        "nodes": [["next", "x"], ["cur", "x"], ["sub", 0, 1]],
        "constraints": [{ "name": "hold", "node": 2 }],
        "boundary": boundary,
    });
    Definition::read(&text.to_string()).expect("a definition")
}

#[test]
fn rows_are_one_more_than_the_last_fixed_row() {
    use second_verifier::airs::Rows;
    use second_verifier::field::M31;
    let rows_of = |definition: &Definition, rows: u64| {
        let trace = Rows {
            length: 64,
            usable: 64,
        };
        let statement = definition.statement::<M31>(&json!({ "rows": rows }), trace);
        let places = |cells: Vec<second_verifier::airs::Boundary<M31>>| {
            cells.iter().map(|cell| cell.row).collect::<Vec<usize>>()
        };
        statement.ok().map(|found| places(found.boundary))
    };
    let cell = |row: Value| json!({ "column": "x", "row": row, "value": ["const", "7"] });
    let definition = with_boundary(json!([cell(json!("last")), cell(json!(61))]));
    assert_eq!(rows_of(&definition, 61), None);
    // Where they meet, one cell is fixed twice: only equal values have a trace.
    assert_eq!(rows_of(&definition, 62), Some(vec![61, 61]));
    assert_eq!(rows_of(&definition, 63), Some(vec![62, 61]));
    assert_eq!(rows_of(&definition, 64), None);
    // No row is fixed that a trace of 64 cannot carry, and row 63 is one that it cannot.
    let definition = with_boundary(json!([cell(json!(63))]));
    assert!((0..=65).all(|rows| rows_of(&definition, rows).is_none()));
}

#[test]
fn a_text_is_bounded_as_it_comes_and_in_canonical_form() {
    let vector = &definitions()[0];
    let short = text(vector, "text");
    let padded = |length: usize| format!("{short}{}", " ".repeat(length - short.len()));
    assert_eq!(fault_of(&padded(1 << 20)), None);
    assert!(fault_of(&padded((1 << 20) + 1)).is_some());
    assert!(fault_of(&"[".repeat(1 << 20)).is_some());
    for (length, fits) in [(262_144, true), (262_145, false)] {
        let text = canonical_of(length);
        assert_eq!(text.len(), length);
        let fault = fault_of(&text);
        assert_eq!(fault.is_none(), fits, "{fault:?}");
    }
}

/// A definition with the canonical form of so many characters, about as many as the bounds of its parts allow.
fn canonical_of(length: usize) -> String {
    let element = |i: usize| (18_000_000_000_000_000_000 + i as u64).to_string();
    let mut nodes = vec![json!(["cur", "x"])];
    nodes.extend((1..=4_095).map(|i| json!(["const", element(i)])));
    nodes.push(json!(["mul", 0, 1]));
    for i in 2..=4_095 {
        nodes.push(json!(["add", nodes.len() - 1, i]));
    }
    let last = nodes.len() - 1;
    let named = |i: usize, letters: usize| {
        let name = format!("{:a<letters$}", format!("n{i}_"));
        json!({ "name": name, "node": last - i })
    };
    let cycle = |i: usize| json!({ "name": format!("p{i}"), "values": vec![element(0); 64] });
    // A map of this library keeps its members in the order of their names.
    let text_of = |letters: &dyn Fn(usize) -> usize| {
        json!({
            "format": "air/1", "field": "goldilocks", "columns": ["x"], "public": [],
            "periodic": (0..30).map(cycle).collect::<Vec<Value>>(), "nodes": nodes,
            "constraints": (0..224).map(|i| named(i, letters(i))).collect::<Vec<Value>>(),
            "boundary": [],
        })
        .to_string()
    };
    let missing = length - text_of(&|_| 5).len();
    text_of(&|i| 5 + missing.saturating_sub(27 * i).min(27))
}

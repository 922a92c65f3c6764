//! raw/fibonacci/v1, raw/counter/v1 and raw/cubic8/v1.

use super::json;
use super::{Rows, Statement};
use crate::field::{Algebra, Field};
use crate::reader::{require, Rejection};
use serde_json::{Map, Value};

/// `rows`, of which a trace of U rows must have enough.
pub fn row_count(map: &Map<String, Value>, rows: Rows) -> Result<usize, Rejection> {
    let count = json::integer(map, "rows", 2, 1 << 20)? as usize;
    require(count <= rows.usable, "the statement needs more rows")?;
    Ok(count)
}

pub fn fibonacci_constraints<F: Field, A: Algebra<F>>(row: &[A], next: &[A]) -> Vec<A> {
    vec![next[0] - row[1], next[1] - (row[0] + row[1])]
}

pub fn fibonacci_statement<F: Field>(
    inputs: &Value,
    rows: Rows,
) -> Result<Statement<F>, Rejection> {
    let map = json::object(inputs, &["rows", "first", "second", "result"])?;
    let count = row_count(map, rows)?;
    let first = json::element(map, "first")?;
    let second = json::element(map, "second")?;
    let result = json::element(map, "result")?;
    let mut statement = Statement {
        elements: vec![F::new(count as u64), first, second, result],
        boundary: Vec::new(),
    };
    statement.bind(0, 0, [first, second]);
    statement.bind(count - 1, 1, [result]);
    Ok(statement)
}

pub fn counter_constraints<F: Field, A: Algebra<F>>(row: &[A], next: &[A]) -> Vec<A> {
    vec![next[0] - (row[0] + row[1]), next[1] - row[1]]
}

pub fn counter_statement<F: Field>(inputs: &Value, rows: Rows) -> Result<Statement<F>, Rejection> {
    let map = json::object(inputs, &["rows", "start", "step", "end"])?;
    let count = row_count(map, rows)?;
    let start = json::element(map, "start")?;
    let step = json::element(map, "step")?;
    let end = json::element(map, "end")?;
    let mut statement = Statement {
        elements: vec![F::new(count as u64), start, step, end],
        boundary: Vec::new(),
    };
    statement.bind(0, 0, [start, step]);
    statement.bind(count - 1, 0, [end]);
    Ok(statement)
}

pub fn cubic8_constraints<F: Field, A: Algebra<F>>(row: &[A], next: &[A]) -> Vec<A> {
    (0..8)
        .map(|i| next[i] - (row[i] * row[i] * row[i] + row[(i + 1) % 8]))
        .collect()
}

pub fn cubic8_statement<F: Field>(inputs: &Value, rows: Rows) -> Result<Statement<F>, Rejection> {
    let map = json::object(inputs, &["rows", "input", "output"])?;
    let count = row_count(map, rows)?;
    let input = json::elements(map, "input", 8)?;
    let output = json::elements(map, "output", 8)?;
    let mut statement = Statement {
        elements: vec![F::new(count as u64)],
        boundary: Vec::new(),
    };
    statement.elements.extend(input.iter().chain(&output));
    statement.bind(0, 0, input);
    statement.bind(count - 1, 0, output);
    Ok(statement)
}

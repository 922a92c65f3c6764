//! A definition: what its text says, and everything that makes it refused.

use super::json::Json;
use super::parts::{element, list, members, number, text, Names};
use super::trivial::is_zero_for_any_rows;
use crate::airs::{json as inputs_json, Boundary, Rows, Shape, Statement};
use crate::field::{Algebra, Field, Goldilocks, M31};
use crate::reader::{require, Rejection};
use crate::transcript::{keyed_hash, Digest};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeSet;

/// What the id of every definition begins with.
pub const PREFIX: &str = "air/sha256:";

/// Of the text as it comes, before anything of it is read.
const TEXT_MOST: usize = 1 << 20;
const CANONICAL_MOST: usize = 262_144;
const COLUMNS_MOST: usize = 64;
const PUBLIC_MOST: usize = 32;
const CYCLES_MOST: usize = 32;
const CYCLE_VALUES_MOST: usize = 2_048;
const PERIOD_MOST: usize = 256;
const NODES_MOST: usize = 8_192;
const CONSTRAINTS_MOST: usize = 224;
const BOUNDARIES_MOST: usize = 32;
const FIXED_ROWS_MOST: usize = 8;
/// Rows that a boundary can name by number.
const NUMBERED_ROWS: usize = 64;
const DEGREE_MOST: usize = 3;
const LENGTH_LEAST: usize = 64;

/// A term of the definition's list, over the list's earlier terms.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Node {
    Current(usize),
    Next(usize),
    Periodic(usize),
    Public(usize),
    Constant(u64),
    Add(usize, usize),
    Subtract(usize, usize),
    Multiply(usize, usize),
}

impl Node {
    fn operands(self) -> Option<(usize, usize)> {
        match self {
            Node::Add(i, j) | Node::Subtract(i, j) | Node::Multiply(i, j) => Some((i, j)),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum FixedRow {
    Numbered(usize),
    /// Row `rows` − 1.
    Last,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FixedValue {
    Public(usize),
    Constant(u64),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct FixedCell {
    column: usize,
    row: FixedRow,
    value: FixedValue,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// SHA-256 of the canonical form.
    hash: Digest,
    modulus: u64,
    columns: Names,
    public: Names,
    periodic: Vec<Vec<u64>>,
    nodes: Vec<Node>,
    /// The node of each constraint.
    constraints: Vec<usize>,
    boundary: Vec<FixedCell>,
    degree: usize,
}

impl Definition {
    /// Reads a text and refuses whatever section 11 does.
    pub fn read(text: &str) -> Result<Definition, Rejection> {
        require(text.len() <= TEXT_MOST, "air: it is too long to be read")?;
        let json = Json::parse(text)?;
        let canonical = json.canonical();
        require(canonical.len() <= CANONICAL_MOST, "air: it is too long")?;
        let mut definition = Definition::from_json(&json)?;
        definition.hash = Sha256::digest(canonical.as_bytes()).into();
        definition.check_use()?;
        let trivial = match definition.modulus {
            M31::MODULUS => is_zero_for_any_rows::<crate::extension::Qm31>(&definition),
            _ => is_zero_for_any_rows::<crate::extension::Gl3>(&definition),
        };
        require(!trivial, "air: a constraint that any rows fulfil")?;
        Ok(definition)
    }

    fn from_json(json: &Json) -> Result<Definition, Rejection> {
        let [format, field, columns, public, periodic, nodes, constraints, boundary] = members(
            json,
            [
                "format",
                "field",
                "columns",
                "public",
                "periodic",
                "nodes",
                "constraints",
                "boundary",
            ],
            "the definition",
        )?;
        require(text(format, "format")? == "air/1", "air: another format")?;
        let modulus = match text(field, "field")? {
            "goldilocks" => Goldilocks::MODULUS,
            "m31" => M31::MODULUS,
            _ => return Err(Rejection::new("air: an unknown field")),
        };
        let columns = Names::read(list(columns, 1, COLUMNS_MOST, "columns")?, Ok, "columns")?;
        let public = Names::read(list(public, 0, PUBLIC_MOST, "public")?, Ok, "public")?;
        require(
            public.iter().all(|name| name != "rows"),
            "air: a public input named rows",
        )?;
        let (cycles, periodic) = read_cycles(list(periodic, 0, CYCLES_MOST, "periodic")?, modulus)?;
        let scope = Scope {
            modulus,
            columns: &columns,
            public: &public,
            cycles: &cycles,
        };
        let nodes = list(nodes, 1, NODES_MOST, "nodes")?
            .iter()
            .enumerate()
            .map(|(place, node)| scope.node(node, place))
            .collect::<Result<Vec<Node>, _>>()?;
        let constraints = read_constraints(
            list(constraints, 1, CONSTRAINTS_MOST, "constraints")?,
            nodes.len(),
        )?;
        let boundary = list(boundary, 0, BOUNDARIES_MOST, "boundary")?
            .iter()
            .map(|cell| scope.cell(cell))
            .collect::<Result<Vec<FixedCell>, _>>()?;
        Ok(Definition {
            hash: Digest::default(),
            modulus,
            columns,
            public,
            periodic,
            nodes,
            constraints,
            boundary,
            degree: 1,
        })
    }

    /// Finds the degree, and refuses parts that say nothing or say the same again.
    fn check_use(&mut self) -> Result<(), Rejection> {
        let (degrees, with_column) = self.degrees()?;
        for &node in &self.constraints {
            require(with_column[node], "air: a constraint without a column")?;
            self.degree = self.degree.max(degrees[node]);
        }
        let mut needed: BTreeSet<usize> = self.constraints.iter().copied().collect();
        require(
            needed.len() == self.constraints.len(),
            "air: a node that two constraints state",
        )?;
        for (i, j) in self.nodes.iter().filter_map(|node| node.operands()) {
            needed.extend([i, j]);
        }
        require(
            needed.len() == self.nodes.len(),
            "air: a node that nothing needs",
        )?;
        let distinct: BTreeSet<&Node> = self.nodes.iter().collect();
        require(
            distinct.len() == self.nodes.len(),
            "air: a node that stands twice",
        )?;
        let cells: BTreeSet<_> = self.boundary.iter().map(|c| (c.column, c.row)).collect();
        require(
            cells.len() == self.boundary.len(),
            "air: a cell that is fixed twice",
        )?;
        let rows: BTreeSet<_> = self.boundary.iter().map(|cell| cell.row).collect();
        require(rows.len() <= FIXED_ROWS_MOST, "air: too many fixed rows")?;
        self.check_names()
    }

    /// The degree of each node, and whether a column is in it.
    fn degrees(&self) -> Result<(Vec<usize>, Vec<bool>), Rejection> {
        let mut degrees: Vec<usize> = Vec::new();
        let mut with_column: Vec<bool> = Vec::new();
        for node in &self.nodes {
            let (degree, column) = match *node {
                Node::Current(_) | Node::Next(_) => (1, true),
                Node::Periodic(_) => (1, false),
                Node::Public(_) | Node::Constant(_) => (0, false),
                Node::Add(i, j) | Node::Subtract(i, j) => {
                    (degrees[i].max(degrees[j]), with_column[i] || with_column[j])
                }
                Node::Multiply(i, j) => (degrees[i] + degrees[j], with_column[i] || with_column[j]),
            };
            require(degree <= DEGREE_MOST, "air: a degree above the greatest")?;
            degrees.push(degree);
            with_column.push(column);
        }
        Ok((degrees, with_column))
    }

    /// Refuses columns and public inputs that are named nowhere.
    fn check_names(&self) -> Result<(), Rejection> {
        let mut columns: BTreeSet<usize> = self.boundary.iter().map(|cell| cell.column).collect();
        let mut public = BTreeSet::new();
        for cell in &self.boundary {
            if let FixedValue::Public(place) = cell.value {
                public.insert(place);
            }
        }
        for node in &self.nodes {
            match *node {
                Node::Current(place) | Node::Next(place) => columns.insert(place),
                Node::Public(place) => public.insert(place),
                _ => false,
            };
        }
        require(
            columns.len() == self.columns.len(),
            "air: a column that nothing names",
        )?;
        require(
            public.len() == self.public.len(),
            "air: a public input that nothing names",
        )
    }

    pub fn id(&self) -> String {
        let digits: String = self.hash.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{PREFIX}{digits}")
    }

    pub fn hash(&self) -> &Digest {
        &self.hash
    }

    /// The AIR digest of version 3: it binds the hash, and with it the whole text.
    pub fn digest(&self) -> Digest {
        keyed_hash("svc/stark/v3/definition", &self.hash)
    }

    pub fn is_over<F: Field>(&self) -> bool {
        self.modulus == F::MODULUS
    }

    pub fn shape(&self) -> Shape {
        Shape {
            width: self.columns.len(),
            transitions: self.constraints.len(),
            degree: self.degree,
        }
    }

    pub fn least_length(&self) -> usize {
        let longest = self.periodic.iter().map(Vec::len).max();
        longest.unwrap_or(0).max(LENGTH_LEAST)
    }

    pub fn periodic_columns<F: Field>(&self) -> Vec<Vec<F>> {
        let lifted = |values: &Vec<u64>| values.iter().map(|&value| F::new(value)).collect();
        self.periodic.iter().map(lifted).collect()
    }

    /// How many public inputs there are besides `rows`.
    pub fn public_count(&self) -> usize {
        self.public.len()
    }

    pub fn cycle_count(&self) -> usize {
        self.periodic.len()
    }

    /// The transition constraints at a row, its successor, the periodic values there and the public inputs.
    pub fn constraints<F: Field, A: Algebra<F>>(
        &self,
        row: &[A],
        next: &[A],
        periodic: &[A],
        public: &[A],
    ) -> Vec<A> {
        let mut values: Vec<A> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let value = match *node {
                Node::Current(column) => row[column],
                Node::Next(column) => next[column],
                Node::Periodic(cycle) => periodic[cycle],
                Node::Public(place) => public[place],
                Node::Constant(element) => A::from(F::new(element)),
                Node::Add(i, j) => values[i] + values[j],
                Node::Subtract(i, j) => values[i] - values[j],
                Node::Multiply(i, j) => values[i] * values[j],
            };
            values.push(value);
        }
        self.constraints.iter().map(|&node| values[node]).collect()
    }

    /// Parses public inputs for a trace of these rows: `rows`, then the others by their names.
    pub fn statement<F: Field>(
        &self,
        inputs: &Value,
        trace: Rows,
    ) -> Result<Statement<F>, Rejection> {
        let names: Vec<&str> = ["rows"].into_iter().chain(self.public.iter()).collect();
        let map = inputs_json::object(inputs, &names)?;
        let fixed = self.boundary.iter().map(|cell| match cell.row {
            FixedRow::Numbered(row) => row + 1,
            FixedRow::Last => 0,
        });
        let least = fixed.max().unwrap_or(0).max(2) as i64;
        let rows = inputs_json::integer(map, "rows", least, trace.usable as i64 - 1)? as usize;
        let mut elements = vec![F::new(rows as u64)];
        for name in self.public.iter() {
            elements.push(inputs_json::element(map, name)?);
        }
        let boundary = self.boundary.iter().map(|cell| Boundary {
            column: cell.column,
            row: match cell.row {
                FixedRow::Numbered(row) => row,
                FixedRow::Last => rows - 1,
            },
            value: match cell.value {
                FixedValue::Public(place) => elements[place + 1],
                FixedValue::Constant(element) => F::new(element),
            },
        });
        Ok(Statement {
            boundary: boundary.collect(),
            elements,
        })
    }
}

/// Names and values of the periodic columns.
fn read_cycles(values: &[Json], modulus: u64) -> Result<(Names, Vec<Vec<u64>>), Rejection> {
    let parts = |cycle| members(cycle, ["name", "values"], "a periodic column");
    let names = Names::read(
        values,
        |cycle| Ok(parts(cycle)?[0]),
        "a periodic column's name",
    )?;
    let mut cycles = Vec::new();
    for cycle in values {
        let listed = list(
            parts(cycle)?[1],
            2,
            PERIOD_MOST,
            "a periodic column's values",
        )?;
        require(
            listed.len().is_power_of_two(),
            "air: a period that is no power of two",
        )?;
        let read = |value| element(value, modulus, "a periodic value");
        cycles.push(listed.iter().map(read).collect::<Result<Vec<u64>, _>>()?);
    }
    let total: usize = cycles.iter().map(Vec::len).sum();
    require(total <= CYCLE_VALUES_MOST, "air: too many periodic values")?;
    Ok((names, cycles))
}

/// The nodes that the constraints state.
fn read_constraints(values: &[Json], node_count: usize) -> Result<Vec<usize>, Rejection> {
    let parts = |constraint| members(constraint, ["name", "node"], "a constraint");
    Names::read(
        values,
        |constraint| Ok(parts(constraint)?[0]),
        "a constraint's name",
    )?;
    values
        .iter()
        .map(|constraint| number(parts(constraint)?[1], node_count, "a constraint's node"))
        .collect()
}

/// What nodes and boundaries can name.
struct Scope<'a> {
    modulus: u64,
    columns: &'a Names,
    public: &'a Names,
    cycles: &'a Names,
}

impl Scope<'_> {
    /// A node at this place of the list.
    fn node(&self, value: &Json, place: usize) -> Result<Node, Rejection> {
        let earlier = |value| number(value, place, "an operand");
        match list(value, 2, 3, "a node")? {
            [kind, of] => match text(kind, "a node's kind")? {
                "cur" => Ok(Node::Current(self.columns.place(of, "cur")?)),
                "next" => Ok(Node::Next(self.columns.place(of, "next")?)),
                "periodic" => Ok(Node::Periodic(self.cycles.place(of, "periodic")?)),
                "public" => Ok(Node::Public(self.public.place(of, "public")?)),
                "const" => Ok(Node::Constant(element(of, self.modulus, "const")?)),
                _ => Err(Rejection::new("air: a node of an unknown kind")),
            },
            [kind, first, second] => {
                let (first, second) = (earlier(first)?, earlier(second)?);
                match text(kind, "a node's kind")? {
                    "add" => Ok(Node::Add(first, second)),
                    "sub" => Ok(Node::Subtract(first, second)),
                    "mul" => Ok(Node::Multiply(first, second)),
                    _ => Err(Rejection::new("air: a node of an unknown kind")),
                }
            }
            _ => Err(Rejection::new("air: a node of another length")),
        }
    }

    fn cell(&self, value: &Json) -> Result<FixedCell, Rejection> {
        let [column, row, value] = members(value, ["column", "row", "value"], "a boundary")?;
        let column = self.columns.place(column, "a boundary's column")?;
        let row = match row {
            Json::Text(text) if text == "last" => FixedRow::Last,
            _ => FixedRow::Numbered(number(row, NUMBERED_ROWS, "a boundary's row")?),
        };
        let [kind, of] = list(value, 2, 2, "a boundary's value")? else {
            return Err(Rejection::new("air: a boundary's value of another length"));
        };
        let value = match text(kind, "a boundary's kind of value")? {
            "public" => FixedValue::Public(self.public.place(of, "a boundary's value")?),
            "const" => FixedValue::Constant(element(of, self.modulus, "a boundary's value")?),
            _ => return Err(Rejection::new("air: a boundary's value of an unknown kind")),
        };
        Ok(FixedCell { column, row, value })
    }
}

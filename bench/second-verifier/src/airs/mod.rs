//! The AIRs of the format.

pub mod binding;
pub mod hash_chain;
pub mod json;
pub mod lif_step;
pub mod limbs;
pub mod permutation;
pub mod raw;
pub mod rules;
pub mod spatial_box;

use self::binding::Blocks;
use crate::field::{Algebra, Field, Goldilocks};
use crate::poseidon2::SpongeField;
use crate::reader::Rejection;
use crate::symbolic::Symbol;
use crate::transcript::{keyed_hash, Digest, Transcript};
use serde_json::Value;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Air {
    HashChain,
    Binding,
    Preimage,
    BindingV1,
    PreimageV1,
    SpatialBox,
    Rules,
    Fibonacci,
    Counter,
    LifStep,
    Cubic8,
}

/// Whether the proofs of an AIR are in zero knowledge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ZeroKnowledge {
    Never,
    Optional,
    Always,
}

/// The value of a cell that the statement fixes.
#[derive(Clone, Debug, PartialEq)]
pub struct Boundary<F> {
    pub column: usize,
    pub row: usize,
    pub value: F,
}

/// What public inputs mean: the elements the transcript absorbs and the boundary constraints.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement<F> {
    pub elements: Vec<F>,
    pub boundary: Vec<Boundary<F>>,
}

impl<F> Statement<F> {
    /// Adds boundary constraints on consecutive columns of a row.
    pub fn bind(&mut self, row: usize, first_column: usize, values: impl IntoIterator<Item = F>) {
        for (i, value) in values.into_iter().enumerate() {
            self.boundary.push(Boundary {
                column: first_column + i,
                row,
                value,
            });
        }
    }
}

/// The rows an AIR sees.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    /// N, the trace length.
    pub length: usize,
    /// U, the rows without the masking rows.
    pub usable: usize,
}

/// W, T and d.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    pub width: usize,
    pub transitions: usize,
    pub degree: usize,
}

const ALL: [Air; 11] = [
    Air::HashChain,
    Air::Binding,
    Air::Preimage,
    Air::BindingV1,
    Air::PreimageV1,
    Air::SpatialBox,
    Air::Rules,
    Air::Fibonacci,
    Air::Counter,
    Air::LifStep,
    Air::Cubic8,
];

impl Air {
    pub fn all() -> impl Iterator<Item = Air> {
        ALL.into_iter()
    }

    pub fn find(id: &str) -> Option<Air> {
        Air::all().find(|air| air.id() == id)
    }

    pub fn id(self) -> &'static str {
        match self {
            Air::HashChain => "hash-chain/v1",
            Air::Binding => "binding/v2",
            Air::Preimage => "preimage/v2",
            Air::BindingV1 => "binding/v1",
            Air::PreimageV1 => "preimage/v1",
            Air::SpatialBox => "spatial-box/v1",
            Air::Rules => "rules/v1",
            Air::Fibonacci => "raw/fibonacci/v1",
            Air::Counter => "raw/counter/v1",
            Air::LifStep => "raw/lif-step/v1",
            Air::Cubic8 => "raw/cubic8/v1",
        }
    }

    /// Whether the id has an AIR over the field F.
    pub fn is_over<F: Field>(self) -> bool {
        F::MODULUS == Goldilocks::MODULUS || !matches!(self, Air::SpatialBox | Air::Rules)
    }

    pub fn zero_knowledge(self) -> ZeroKnowledge {
        match self {
            Air::HashChain => ZeroKnowledge::Never,
            Air::Binding
            | Air::Preimage
            | Air::BindingV1
            | Air::PreimageV1
            | Air::SpatialBox
            | Air::Rules => ZeroKnowledge::Always,
            Air::Fibonacci | Air::Counter | Air::LifStep | Air::Cubic8 => ZeroKnowledge::Optional,
        }
    }

    pub fn least_length(self) -> usize {
        match self {
            Air::SpatialBox => 128,
            Air::Rules => 2048,
            _ => 64,
        }
    }

    pub fn shape<F: SpongeField>(self) -> Shape {
        let lanes = 3 * F::WIDTH;
        let (width, transitions, degree) = match self {
            Air::HashChain => (lanes + 1, lanes + 1, 3),
            Air::Binding | Air::Preimage => {
                let width = lanes + limbs::columns::<F>();
                (width, width, 3)
            }
            Air::BindingV1 | Air::PreimageV1 => (lanes, lanes, 3),
            Air::SpatialBox => (lanes + 7, lanes + 7, 3),
            Air::Rules => (46, 52, 3),
            Air::Fibonacci | Air::Counter => (2, 2, 1),
            Air::LifStep => (58, 59, 2),
            Air::Cubic8 => (8, 8, 3),
        };
        Shape {
            width,
            transitions,
            degree,
        }
    }

    pub fn periodic_columns<F: SpongeField>(self) -> Vec<Vec<F>> {
        match self {
            Air::HashChain | Air::BindingV1 | Air::PreimageV1 | Air::SpatialBox => {
                permutation::periodic_columns()
            }
            Air::Binding | Air::Preimage => {
                let mut columns = permutation::periodic_columns();
                columns.push(limbs::weights());
                columns
            }
            Air::Rules => rules::periodic_columns(),
            _ => Vec::new(),
        }
    }

    /// The transition constraints at a row, its successor and the periodic values there.
    pub fn constraints<F: SpongeField, A: Algebra<F>>(
        self,
        row: &[A],
        next: &[A],
        periodic: &[A],
    ) -> Vec<A> {
        match self {
            Air::HashChain => hash_chain::constraints(row, next, periodic),
            Air::Binding | Air::Preimage => limbs::constraints(row, next, periodic),
            Air::BindingV1 | Air::PreimageV1 => binding::constraints(row, next, periodic),
            Air::SpatialBox => spatial_box::constraints(row, next, periodic),
            Air::Rules => rules::constraints(row, next, periodic),
            Air::Fibonacci => raw::fibonacci_constraints(row, next),
            Air::Counter => raw::counter_constraints(row, next),
            Air::LifStep => lif_step::constraints(row, next),
            Air::Cubic8 => raw::cubic8_constraints(row, next),
        }
    }

    /// Parses public inputs for a trace of these rows.
    pub fn statement<F: SpongeField>(
        self,
        inputs: &Value,
        rows: Rows,
    ) -> Result<Statement<F>, Rejection> {
        match self {
            Air::HashChain => hash_chain::statement(inputs, rows),
            Air::Binding => binding::binding_statement(inputs, rows, Blocks::Limbs),
            Air::Preimage => binding::preimage_statement(inputs, rows, Blocks::Limbs),
            Air::BindingV1 => binding::binding_statement(inputs, rows, Blocks::Elements),
            Air::PreimageV1 => binding::preimage_statement(inputs, rows, Blocks::Elements),
            Air::SpatialBox => spatial_box::statement(inputs, rows),
            Air::Rules => rules::statement(inputs, rows),
            Air::Fibonacci => raw::fibonacci_statement(inputs, rows),
            Air::Counter => raw::counter_statement(inputs, rows),
            Air::LifStep => lif_step::statement(inputs, rows),
            Air::Cubic8 => raw::cubic8_statement(inputs, rows),
        }
    }

    /// The AIR digest of a version of the format.
    pub fn digest<F: SpongeField>(self, version: u8) -> Digest {
        if version == 2 {
            self.evaluated_digest::<F>()
        } else {
            self.program_digest::<F>()
        }
    }

    /// Id, shape and periodic columns.
    fn shape_bytes<F: SpongeField>(self, periodic: &[Vec<F>]) -> Vec<u8> {
        let shape = self.shape::<F>();
        let mut message = Vec::new();
        let number = |out: &mut Vec<u8>, n: usize| out.extend_from_slice(&(n as u32).to_le_bytes());
        number(&mut message, self.id().len());
        message.extend_from_slice(self.id().as_bytes());
        number(&mut message, shape.width);
        number(&mut message, shape.degree);
        number(&mut message, shape.transitions);
        number(&mut message, periodic.len());
        for column in periodic {
            number(&mut message, column.len());
            for value in column {
                value.append_to(&mut message);
            }
        }
        message
    }

    /// Version 3: its tables and its constraints as polynomials.
    fn program_digest<F: SpongeField>(self) -> Digest {
        let width = self.shape::<F>().width;
        let periodic = self.periodic_columns::<F>();
        let mut message = F::MODULUS.to_le_bytes().to_vec();
        message.extend(self.shape_bytes(&periodic));
        let variables: Vec<Symbol<F>> = (0..2 * width + periodic.len())
            .map(|number| Symbol::variable(number as u16))
            .collect();
        let (row, rest) = variables.split_at(width);
        let (next, tables) = rest.split_at(width);
        for constraint in self.constraints::<F, Symbol<F>>(row, next, tables) {
            constraint.append_to(&mut message);
        }
        Symbol::<F>::clear();
        keyed_hash("svc/stark/v3/air", &message)
    }

    /// Version 2: its tables and the values of its constraints at a point.
    fn evaluated_digest<F: SpongeField>(self) -> Digest {
        let shape = self.shape::<F>();
        let periodic = self.periodic_columns::<F>();
        let mut message = b"svc/stark/air/v2".to_vec();
        message.extend(self.shape_bytes(&periodic));
        let mut transcript = Transcript::default();
        transcript.absorb(1, &message);
        let mut draw =
            |count: usize| -> Vec<F> { (0..count).map(|_| transcript.draw_base()).collect() };
        let row = draw(shape.width);
        let next = draw(shape.width);
        let values = draw(periodic.len());
        let mut results = Vec::new();
        for value in self.constraints::<F, F>(&row, &next, &values) {
            value.append_to(&mut results);
        }
        transcript.absorb(2, &results);
        transcript.state()
    }
}

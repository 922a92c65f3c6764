//! What a claim's constraints come from: an AIR of the format, or a definition that stands beside the proof.

use crate::airs::{Air, Rows, Shape, Statement, ZeroKnowledge};
use crate::extension::Extension;
use crate::field::Field;
use crate::own::Definition;
use crate::poseidon2::SpongeField;
use crate::reader::{require, Rejection};
use crate::transcript::Digest;
use serde_json::Value;

/// The AIR of a claim.
pub enum Program {
    Known(Air),
    Own(Box<Definition>),
}

impl Program {
    /// Finds the AIR of an id, in a proof of a version of the format, with the text that stands beside the proof.
    pub fn of(id: &str, text: Option<&str>, version: u8) -> Result<Program, Rejection> {
        if let Some(air) = Air::find(id) {
            require(text.is_none(), "a definition beside an AIR that needs none")?;
            return Ok(Program::Known(air));
        }
        let is_own = id.starts_with(crate::own::definition::PREFIX);
        require(is_own, "an unknown AIR")?;
        require(version >= 3, "a definition under version 2")?;
        let text = text.ok_or_else(|| Rejection::new("the definition is missing"))?;
        let definition = Definition::read(text)?;
        require(definition.id() == id, "the definition has another id")?;
        Ok(Program::Own(Box::new(definition)))
    }

    pub fn id(&self) -> String {
        match self {
            Program::Known(air) => air.id().to_string(),
            Program::Own(definition) => definition.id(),
        }
    }

    /// Whether the AIR has a form over the field F.
    pub fn is_over<F: Field>(&self) -> bool {
        match self {
            Program::Known(air) => air.is_over::<F>(),
            Program::Own(definition) => definition.is_over::<F>(),
        }
    }

    pub fn zero_knowledge(&self) -> ZeroKnowledge {
        match self {
            Program::Known(air) => air.zero_knowledge(),
            Program::Own(_) => ZeroKnowledge::Optional,
        }
    }

    pub fn least_length(&self) -> usize {
        match self {
            Program::Known(air) => air.least_length(),
            Program::Own(definition) => definition.least_length(),
        }
    }

    pub fn shape<F: SpongeField>(&self) -> Shape {
        match self {
            Program::Known(air) => air.shape::<F>(),
            Program::Own(definition) => definition.shape(),
        }
    }

    pub fn periodic_columns<F: SpongeField>(&self) -> Vec<Vec<F>> {
        match self {
            Program::Known(air) => air.periodic_columns(),
            Program::Own(definition) => definition.periodic_columns(),
        }
    }

    /// The transition constraints of a statement at a row, its successor and the periodic values there.
    pub fn constraints<E: Extension>(
        &self,
        row: &[E],
        next: &[E],
        periodic: &[E],
        statement: &Statement<E::Base>,
    ) -> Vec<E>
    where
        E::Base: SpongeField,
    {
        match self {
            Program::Known(air) => air.constraints(row, next, periodic),
            Program::Own(definition) => {
                // The first element is `rows`, of which no constraint speaks.
                let public = statement.elements.iter().skip(1);
                let lifted: Vec<E> = public.map(|&value| E::from(value)).collect();
                definition.constraints(row, next, periodic, &lifted)
            }
        }
    }

    /// Parses public inputs for a trace of these rows.
    pub fn statement<F: SpongeField>(
        &self,
        inputs: &Value,
        rows: Rows,
    ) -> Result<Statement<F>, Rejection> {
        match self {
            Program::Known(air) => air.statement(inputs, rows),
            Program::Own(definition) => definition.statement(inputs, rows),
        }
    }

    /// The AIR digest of a version of the format.
    pub fn digest<F: SpongeField>(&self, version: u8) -> Digest {
        match self {
            Program::Known(air) => air.digest::<F>(version),
            Program::Own(definition) => definition.digest(),
        }
    }
}

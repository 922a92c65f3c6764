//! The verifier: header and policy, transcript, identity at z, queries.

use crate::airs::{Boundary, Statement, ZeroKnowledge};
use crate::circle_profile::Circle;
use crate::extension::{Extension, Gl2, Gl3, Qm31};
use crate::geometry::{Composition, Geometry, OpenedLeaf};
use crate::merkle::{check_multiproof, leaf_hash, read_cap};
use crate::multiplicative::Multiplicative;
use crate::params::{Header, Profile, Sizes, HEADER_BYTES};
use crate::poseidon2::SpongeField;
use crate::program::Program;
use crate::reader::{require, Reader, Rejection};
use crate::security::{security_bits, Security};
use crate::transcript::{nonce_suffices, Digest, Transcript};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What is claimed to be proved.
pub struct Claim<'a> {
    pub air_id: &'a str,
    /// The text of a definition, beside an id that is the hash of one.
    pub air: Option<&'a str>,
    pub context_domain: &'a str,
    pub public_inputs: &'a Value,
    pub trace_length: Option<u64>,
}

/// Verifies a proof of a claim whose proven security must be at least `least_bits`; says how secure it is.
pub fn verify(claim: &Claim, proof: &[u8], least_bits: u32) -> Result<Security, Rejection> {
    let header = read_header(proof)?;
    match header.profile {
        Profile::Gl3 => run::<Multiplicative<Gl3>>(claim, header, proof, least_bits),
        Profile::Gl2 => run::<Multiplicative<Gl2>>(claim, header, proof, least_bits),
        Profile::M31 => run::<Circle>(claim, header, proof, least_bits),
    }
}

/// The state of the transcript after message 1, of which nothing but the header stands in the proof.
pub fn state_after_statement(claim: &Claim, proof: &[u8]) -> Result<Digest, Rejection> {
    let header = read_header(proof)?;
    let state = match header.profile {
        Profile::Gl3 => Beginning::<Gl3>::new(claim, header, proof)?
            .transcript
            .state(),
        Profile::Gl2 => Beginning::<Gl2>::new(claim, header, proof)?
            .transcript
            .state(),
        Profile::M31 => Beginning::<Qm31>::new(claim, header, proof)?
            .transcript
            .state(),
    };
    Ok(state)
}

fn read_header(proof: &[u8]) -> Result<Header, Rejection> {
    let header = Header::parse(proof.get(..HEADER_BYTES).unwrap_or(proof))?;
    require(
        header.is_published(),
        "parameters of no published parameter set",
    )?;
    Ok(header)
}

/// What is known before anything behind the header is read.
struct Beginning<E: Extension> {
    program: Program,
    sizes: Sizes,
    statement: Statement<E::Base>,
    security: Security,
    /// After message 1.
    transcript: Transcript,
}

impl<E: Extension> Beginning<E>
where
    E::Base: SpongeField,
{
    fn new(claim: &Claim, header: Header, proof: &[u8]) -> Result<Self, Rejection> {
        let program = Program::of(claim.air_id, claim.air, header.version)?;
        require(
            program.is_over::<E::Base>(),
            "the AIR is not defined over the profile's field",
        )?;
        let zk_allowed = match program.zero_knowledge() {
            ZeroKnowledge::Never => !header.zero_knowledge,
            ZeroKnowledge::Optional => true,
            ZeroKnowledge::Always => header.zero_knowledge,
        };
        require(zk_allowed, "the AIR has another zero-knowledge flag")?;
        require(
            claim.context_domain.len() <= 256,
            "the context domain is too long",
        )?;
        let sizes = Sizes::new(header, program.shape::<E::Base>(), E::DEGREE)?;
        require(
            sizes.length >= program.least_length(),
            "a trace shorter than the AIR's least",
        )?;
        require(
            claim.trace_length.is_none_or(|n| n == sizes.length as u64),
            "another trace length than the claim's",
        )?;
        let statement = program.statement(claim.public_inputs, sizes.rows())?;
        let security = security_bits(&sizes, statement.boundary.len());
        let mut transcript = Transcript::default();
        transcript.absorb(1, &statement_bytes(claim, &program, &statement, proof));
        Ok(Beginning {
            program,
            sizes,
            statement,
            security,
            transcript,
        })
    }
}

fn run<G: Geometry>(
    claim: &Claim,
    header: Header,
    proof: &[u8],
    least_bits: u32,
) -> Result<Security, Rejection>
where
    <G::E as Extension>::Base: SpongeField,
{
    let beginning = Beginning::<G::E>::new(claim, header, proof)?;
    let security = beginning.security;
    require(
        security.proven >= least_bits,
        "the security is below the policy's minimum",
    )?;
    let reader = Reader::new(&proof[HEADER_BYTES..]);
    Run::<G>::commit(beginning, reader)?.open()?;
    Ok(security)
}

/// Message 1 of the transcript.
fn statement_bytes<F: SpongeField>(
    claim: &Claim,
    program: &Program,
    statement: &Statement<F>,
    proof: &[u8],
) -> Vec<u8> {
    let mut message = proof[..HEADER_BYTES].to_vec();
    let number = |out: &mut Vec<u8>, n: usize| out.extend_from_slice(&(n as u32).to_le_bytes());
    let id = program.id();
    number(&mut message, id.len());
    message.extend_from_slice(id.as_bytes());
    let version = proof[8];
    message.extend_from_slice(&program.digest::<F>(version));
    number(&mut message, claim.context_domain.len());
    message.extend_from_slice(claim.context_domain.as_bytes());
    number(&mut message, statement.elements.len());
    for element in &statement.elements {
        element.append_to(&mut message);
    }
    if version >= 3 {
        number(&mut message, statement.boundary.len());
        for Boundary { column, row, value } in &statement.boundary {
            number(&mut message, *column);
            number(&mut message, *row);
            value.append_to(&mut message);
        }
    }
    message
}

fn bytes_of<E: Extension>(elements: &[E]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for element in elements {
        element.append_to(&mut bytes);
    }
    bytes
}

fn cap_bytes(cap: &[Digest]) -> Vec<u8> {
    cap.concat()
}

/// Everything that stands once all messages are absorbed; what is left to read are the openings.
struct Run<'a, G: Geometry> {
    geometry: G,
    sizes: Sizes,
    reader: Reader<'a>,
    trace_cap: Vec<Digest>,
    composition_cap: Vec<Digest>,
    layer_caps: Vec<Vec<Digest>>,
    values: Vec<G::E>,
    gamma: G::E,
    lambdas: Vec<G::E>,
    last: Vec<G::E>,
    /// Distinct positions, ascending.
    positions: BTreeSet<usize>,
}

impl<'a, G: Geometry> Run<'a, G>
where
    <G::E as Extension>::Base: SpongeField,
{
    /// Reads and absorbs the messages up to the nonce, checks the identity at z, and draws the positions.
    fn commit(beginning: Beginning<G::E>, mut reader: Reader<'a>) -> Result<Self, Rejection> {
        let Beginning {
            program,
            sizes,
            statement,
            mut transcript,
            ..
        } = beginning;
        let trace_cap = read_cap(&mut reader, sizes.leaves(0))?;
        transcript.absorb(2, &cap_bytes(&trace_cap));
        let alpha = transcript.draw();
        let composition_cap = read_cap(&mut reader, sizes.leaves(0))?;
        let overflow: Vec<G::E> = reader.elements(G::overflow_length(&sizes))?;
        let message = [cap_bytes(&composition_cap), bytes_of(&overflow)].concat();
        transcript.absorb(3, &message);
        let geometry = G::new(sizes, &mut transcript);
        let count = 2 * sizes.shape.width + G::values_per_column() * sizes.composition_columns;
        let values: Vec<G::E> = reader.elements(count)?;
        let out_of_domain = OutOfDomain {
            values: &values,
            overflow: &overflow,
            alpha,
        };
        out_of_domain.check(&program, &geometry, &sizes, &statement)?;
        transcript.absorb(4, &bytes_of(&values));
        let gamma = transcript.draw();
        let mut lambdas = vec![transcript.draw()];
        let mut layer_caps = Vec::new();
        for layer in 1..sizes.folds {
            let cap = read_cap(&mut reader, sizes.leaves(layer))?;
            transcript.absorb(5, &cap_bytes(&cap));
            lambdas.push(transcript.draw());
            layer_caps.push(cap);
        }
        let last = reader.elements(sizes.final_length())?;
        transcript.absorb(6, &bytes_of(&last));
        let nonce = reader.u64()?;
        require(
            nonce_suffices(&transcript.state(), nonce, sizes.header.grinding),
            "the nonce misses its zero bits",
        )?;
        transcript.absorb(7, &nonce.to_le_bytes());
        let bits = sizes.leaves(0).trailing_zeros();
        let draws = 0..sizes.header.queries;
        let positions = draws.map(|_| transcript.draw_position(bits)).collect();
        Ok(Run {
            geometry,
            sizes,
            reader,
            trace_cap,
            composition_cap,
            layer_caps,
            values,
            gamma,
            lambdas,
            last,
            positions,
        })
    }

    /// Reads the leaves of the trace or composition tree at the positions and checks them under the cap.
    fn open_rows<T>(
        &mut self,
        row_bytes: usize,
        cap: &[Digest],
        read_row: impl Fn(&mut Reader<'a>) -> Result<T, Rejection>,
    ) -> Result<Vec<Vec<T>>, Rejection> {
        let salt = if self.sizes.header.zero_knowledge {
            16
        } else {
            0
        };
        let mut rows = Vec::new();
        let mut hashes = Vec::new();
        for &position in &self.positions {
            let leaf = self.reader.bytes(8 * row_bytes + salt)?;
            let mut inside = Reader::new(leaf);
            let leaf_rows: Result<Vec<T>, Rejection> =
                (0..8).map(|_| read_row(&mut inside)).collect();
            rows.push(leaf_rows?);
            hashes.push((position, leaf_hash(leaf)));
        }
        check_multiproof(&mut self.reader, cap, self.sizes.leaves(0), hashes)?;
        Ok(rows)
    }

    /// Reads and checks all openings.
    fn open(mut self) -> Result<(), Rejection> {
        let width = self.sizes.shape.width;
        let columns = self.sizes.composition_columns;
        let base_bytes = <<G::E as Extension>::Base as crate::field::Field>::BYTES;
        let trace_cap = std::mem::take(&mut self.trace_cap);
        let trace = self.open_rows(width * base_bytes, &trace_cap, |reader| {
            (0..width)
                .map(|_| reader.base())
                .collect::<Result<Vec<_>, _>>()
        })?;
        let composition_cap = std::mem::take(&mut self.composition_cap);
        let row_bytes = columns * <G::E as Extension>::DEGREE * base_bytes;
        let composition = self.open_rows(row_bytes, &composition_cap, |reader| {
            reader.elements::<G::E>(columns)
        })?;
        let mut folds = BTreeMap::new();
        for ((&index, trace), composition) in self.positions.iter().zip(trace).zip(composition) {
            let leaf = OpenedLeaf {
                index,
                trace,
                composition,
            };
            let values = self.geometry.deep(&leaf, &self.values, self.gamma)?;
            folds.insert(
                index,
                self.geometry.fold(0, index, &values, self.lambdas[0]),
            );
        }
        for layer in 1..self.sizes.folds {
            folds = self.open_layer(layer, folds)?;
        }
        for (index, value) in folds {
            require(
                self.geometry.last(&self.last, index) == value,
                "a fold differs from the final polynomial",
            )?;
        }
        require(self.reader.is_empty(), "bytes after the proof")
    }

    /// Completes the opened leaves of a layer by the folds of the layer above, checks them and folds them.
    fn open_layer(
        &mut self,
        layer: usize,
        folds: BTreeMap<usize, G::E>,
    ) -> Result<BTreeMap<usize, G::E>, Rejection> {
        let mut leaves: BTreeMap<usize, [Option<G::E>; 8]> = BTreeMap::new();
        for (index, value) in folds {
            let (leaf, slot) = self.geometry.place(layer, index);
            leaves.entry(leaf).or_insert([None; 8])[slot] = Some(value);
        }
        let mut hashes = Vec::new();
        let mut next = BTreeMap::new();
        for (leaf, slots) in leaves {
            let mut values = Vec::with_capacity(8);
            for slot in slots {
                values.push(match slot {
                    Some(value) => value,
                    None => self.reader.element()?,
                });
            }
            hashes.push((leaf, leaf_hash(&bytes_of(&values))));
            let lambda = self.lambdas[layer];
            next.insert(leaf, self.geometry.fold(layer, leaf, &values, lambda));
        }
        let cap = &self.layer_caps[layer - 1];
        check_multiproof(&mut self.reader, cap, self.sizes.leaves(layer), hashes)?;
        Ok(next)
    }
}

/// What is sent of the point z, and the challenge that combines the constraints there.
struct OutOfDomain<'a, E> {
    values: &'a [E],
    overflow: &'a [E],
    alpha: E,
}

impl<E: Extension> OutOfDomain<'_, E>
where
    E::Base: SpongeField,
{
    /// The constraints at z must give what the committed chunks say.
    fn check<G: Geometry<E = E>>(
        &self,
        program: &Program,
        geometry: &G,
        sizes: &Sizes,
        statement: &Statement<E::Base>,
    ) -> Result<(), Rejection> {
        let width = sizes.shape.width;
        let (columns, rest) = self.values.split_at(width);
        let (next, chunks) = rest.split_at(width);
        let periodic = geometry.periodic(&program.periodic_columns())?;
        let transitions = program.constraints(columns, next, &periodic, statement);
        let composed = geometry.composed(&Composition {
            transitions: &transitions,
            boundary: &statement.boundary,
            columns,
            alpha: self.alpha,
        })?;
        let chunk_values = &chunks[..G::values_per_column() * sizes.chunks];
        require(
            composed == geometry.committed(chunk_values, self.overflow),
            "the out-of-domain values do not satisfy the constraints",
        )
    }
}

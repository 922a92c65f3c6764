//! binding and preimage, versions 1 and 2.

use super::permutation::{self, ROWS};
use super::{json, Rows, Statement};
use crate::field::Algebra;
use crate::poseidon2::{block_bytes, initial_state, limbs, Poseidon2, SpongeField};
use crate::reader::{require, Rejection};
use serde_json::Value;

/// Bytes of NUMBERS(public numbers), which are hashed before anything of the proof is known to hold.
const MOST_PUBLIC_BYTES: usize = 8192;

pub fn constraints<F: SpongeField, A: Algebra<F>>(row: &[A], next: &[A], periodic: &[A]) -> Vec<A> {
    permutation::constraints::<F, A>(row, next, periodic, |i| {
        if i < F::WIDTH / 2 {
            A::from(F::zero())
        } else {
            next[i] - row[i]
        }
    })
}

/// The value of a number as little-endian bytes without leading zero bytes.
pub fn number_bytes(text: &str) -> Option<Vec<u8>> {
    if !(1..=256).contains(&text.len()) {
        return None;
    }
    let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let (digits, radix) = match hex {
        Some(digits) => (digits, 16),
        None => (text, 10),
    };
    if digits.is_empty() {
        return None;
    }
    let mut bytes: Vec<u8> = Vec::new();
    for digit in digits.chars() {
        let mut carry = digit.to_digit(radix)?;
        for byte in &mut bytes {
            carry += u32::from(*byte) * radix;
            *byte = carry as u8;
            carry >>= 8;
        }
        if carry > 0 {
            bytes.push(carry as u8);
        }
    }
    Some(bytes)
}

/// NUMBERS(list).
pub fn encode_numbers(list: &[Value]) -> Option<Vec<u8>> {
    if list.len() > 1024 {
        return None;
    }
    let mut out = (list.len() as u16).to_le_bytes().to_vec();
    for number in list {
        let bytes = number_bytes(number.as_str()?)?;
        out.push(u8::try_from(bytes.len()).ok()?);
        out.extend_from_slice(&bytes);
    }
    (out.len() <= 65_536).then_some(out)
}

/// CONTEXT(text).
fn encode_context(text: &str) -> Result<Vec<u8>, Rejection> {
    require(text.len() <= 256, "public inputs: the context is too long")?;
    let mut out = (text.len() as u16).to_le_bytes().to_vec();
    out.extend_from_slice(text.as_bytes());
    Ok(out)
}

/// What the private blocks are shown to be: elements (version 1) or limbs (version 2).
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Blocks {
    Elements,
    Limbs,
}

/// What both statements say once the public bytes are known.
fn sponge_statement<F: SpongeField>(
    tag: &str,
    public: &[u8],
    (kind, blocks): (Blocks, usize),
    result: Vec<F>,
    rows: Rows,
) -> Result<Statement<F>, Rejection> {
    let leading = usize::from(kind == Blocks::Limbs);
    require(
        leading + blocks <= rows.usable / ROWS,
        "the statement needs more rows",
    )?;
    let half = F::WIDTH / 2;
    let mut state = initial_state::<F>(tag, &[]);
    let poseidon = Poseidon2::default();
    let last_block = (public.len() - 1) / block_bytes::<F>() * block_bytes::<F>();
    poseidon.absorb(&mut state, &public[..last_block]);
    for (lane, limb) in state.iter_mut().zip(limbs::<F>(&public[last_block..])) {
        *lane = *lane + limb;
    }
    if kind == Blocks::Elements {
        poseidon.permute(&mut state);
    }
    let mut elements = vec![F::new(public.len() as u64)];
    elements.extend(limbs::<F>(public));
    elements.push(F::new(blocks as u64));
    elements.extend(&result);
    let mut statement = Statement {
        elements,
        boundary: Vec::new(),
    };
    match kind {
        Blocks::Elements => statement.bind(0, half, state[half..].iter().copied()),
        Blocks::Limbs => {
            statement.bind(0, 0, state);
            statement.bind(0, 3 * F::WIDTH, vec![F::zero(); half]);
        }
    }
    statement.bind(ROWS * (leading + blocks) - 1, 0, result);
    Ok(statement)
}

pub fn binding_statement<F: SpongeField>(
    inputs: &Value,
    rows: Rows,
    kind: Blocks,
) -> Result<Statement<F>, Rejection> {
    let names = [
        "contextDomain",
        "publicInputs",
        "privateBlocks",
        "commitment",
    ];
    let map = json::object(inputs, &names)?;
    let mut public = encode_context(json::string(map, "contextDomain")?)?;
    let numbers = encode_numbers(json::array(map, "publicInputs")?)
        .ok_or_else(|| Rejection::new("public inputs: numbers that do not parse"))?;
    require(
        numbers.len() <= MOST_PUBLIC_BYTES,
        "public inputs: too many bytes of numbers",
    )?;
    public.extend_from_slice(&numbers);
    let most = 65_560usize.div_ceil(block_bytes::<F>()) as i64;
    let blocks = json::integer(map, "privateBlocks", 1, most)? as usize;
    let commitment = json::elements(map, "commitment", F::WIDTH / 2)?;
    sponge_statement("bind/v1", &public, (kind, blocks), commitment, rows)
}

pub fn preimage_statement<F: SpongeField>(
    inputs: &Value,
    rows: Rows,
    kind: Blocks,
) -> Result<Statement<F>, Rejection> {
    let map = json::object(inputs, &["contextDomain", "privateBlocks", "digest"])?;
    let public = encode_context(json::string(map, "contextDomain")?)?;
    let most = 65_536usize.div_ceil(block_bytes::<F>()) as i64;
    let blocks = json::integer(map, "privateBlocks", 1, most)? as usize;
    let digest = json::elements(map, "digest", F::WIDTH / 2)?;
    sponge_statement("prei/v1", &public, (kind, blocks), digest, rows)
}

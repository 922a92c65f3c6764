//! Statements of other people: definitions as texts, read and judged by section 11, "a definition".

pub mod definition;
pub mod json;
pub mod parts;
pub mod trivial;

pub use self::definition::Definition;

//! An independent verifier of the STARK proof format, written from its document alone.

pub mod airs;
pub mod circle;
pub mod circle_profile;
pub mod extension;
pub mod field;
pub mod geometry;
pub mod merkle;
pub mod multiplicative;
pub mod own;
pub mod params;
pub mod poseidon2;
pub mod program;
pub mod reader;
pub mod security;
pub mod symbolic;
pub mod transcript;
pub mod verify;

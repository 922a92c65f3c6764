//! The header, the published parameter sets and the sizes that follow from them.

use crate::airs::{Rows, Shape};
use crate::reader::{require, Rejection};

pub const HEADER_BYTES: usize = 20;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Profile {
    Gl3,
    Gl2,
    M31,
}

#[derive(Clone, Copy, Debug)]
pub struct Header {
    /// 2 or 3.
    pub version: u8,
    pub profile: Profile,
    pub log_length: u32,
    pub log_blowup: u32,
    pub grinding: u32,
    pub queries: usize,
    pub zero_knowledge: bool,
}

/// Name, profile, grinding bits, queries at β = 2, 4, 8, 16, 32.
pub const SETS: [(&str, Profile, u32, [usize; 5]); 6] = [
    ("conjectured96", Profile::Gl2, 16, [81, 41, 27, 21, 17]),
    ("P100", Profile::Gl3, 16, [172, 85, 57, 43, 34]),
    ("P128", Profile::Gl3, 20, [221, 110, 73, 55, 44]),
    ("udr100", Profile::Gl2, 20, [200, 123, 100, 91, 87]),
    ("m31", Profile::M31, 16, [167, 81, 55, 76, 73]),
    ("m31-fast", Profile::M31, 16, [89, 45, 30, 23, 18]),
];

impl Header {
    pub fn parse(bytes: &[u8]) -> Result<Header, Rejection> {
        require(bytes.len() == HEADER_BYTES, "the header is not complete")?;
        require(&bytes[..8] == b"SVCSTARK", "another magic")?;
        require(
            matches!(bytes[8], 2 | 3) && bytes[9] == 0,
            "another version",
        )?;
        let profile = match bytes[10] {
            1 => Profile::Gl3,
            2 => Profile::Gl2,
            3 => Profile::M31,
            _ => return Err(Rejection::new("an unknown profile")),
        };
        let header = Header {
            version: bytes[8],
            profile,
            log_length: u32::from(bytes[11]),
            log_blowup: u32::from(bytes[12]),
            grinding: u32::from(bytes[13]),
            queries: usize::from(u16::from_le_bytes([bytes[14], bytes[15]])),
            zero_knowledge: bytes[16] & 1 == 1,
        };
        let allowed = (6..=20).contains(&header.log_length)
            && (1..=5).contains(&header.log_blowup)
            && header.grinding <= 32
            && (1..=512).contains(&header.queries)
            && bytes[16] <= 1
            && bytes[17..] == [0, 0, 0];
        require(allowed, "a header outside the allowed values")?;
        Ok(header)
    }

    /// Whether a published parameter set prescribes these.
    pub fn is_published(&self) -> bool {
        SETS.iter().any(|(_, profile, grinding, queries)| {
            *profile == self.profile
                && *grinding == self.grinding
                && queries.get(self.log_blowup as usize - 1) == Some(&self.queries)
        })
    }
}

/// The sizes a proof has.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    pub header: Header,
    /// N.
    pub length: usize,
    /// t, the masking rows.
    pub masking: usize,
    /// n, the size of layer 0.
    pub domain: usize,
    /// r, the number of folds.
    pub folds: usize,
    pub shape: Shape,
    /// K.
    pub chunks: usize,
    /// K'.
    pub composition_columns: usize,
    /// e.
    pub degree: usize,
}

impl Sizes {
    pub fn new(header: Header, shape: Shape, degree: usize) -> Result<Sizes, Rejection> {
        let length = 1usize << header.log_length;
        let zk = header.zero_knowledge;
        let masking = if zk {
            16 * header.queries + 2 * degree + 16
        } else {
            0
        };
        let least = match header.profile {
            Profile::Gl3 | Profile::Gl2 => 2 * masking,
            Profile::M31 => 4 * masking + 12,
        };
        require(
            !zk || (length >= 2048 && length >= least),
            "a trace too short for zero knowledge",
        )?;
        let mut folds = 1;
        while length >> (3 * folds) > 256 {
            folds += 1;
        }
        let chunks = match header.profile {
            _ if !zk => (shape.degree - 1).max(1),
            Profile::M31 => shape.degree.max(2),
            Profile::Gl3 | Profile::Gl2 => {
                // The bound M of the composition's degree, then the least K with K·(N − t) > M.
                let transitions = shape.degree * (length - 1) + masking + 1;
                let bound = transitions.saturating_sub(length).max(length - 2);
                (bound / (length - masking) + 1).max(2)
            }
        };
        Ok(Sizes {
            header,
            length,
            masking,
            domain: length << header.log_blowup,
            folds,
            shape,
            chunks,
            composition_columns: chunks + usize::from(zk),
            degree,
        })
    }

    pub fn rows(&self) -> Rows {
        Rows {
            length: self.length,
            usable: self.length - self.masking,
        }
    }

    pub fn log_domain(&self) -> u32 {
        self.header.log_length + self.header.log_blowup
    }

    /// n_i.
    pub fn layer(&self, i: usize) -> usize {
        self.domain >> (3 * i)
    }

    /// Leaves of the tree of layer i.
    pub fn leaves(&self, i: usize) -> usize {
        self.layer(i + 1)
    }

    pub fn final_length(&self) -> usize {
        self.length >> (3 * self.folds)
    }
}

//! The security figures of section 13.

use crate::field::Field;
use crate::params::{Profile, Sizes};

/// Bits, rounded down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Security {
    pub proven: u32,
    pub heuristic: u32,
}

/// Rounds' errors, as −log2, are the same in every regime up to these parameters.
struct Regime<'a> {
    /// −log2 of (1 − θ).
    query_bits: f64,
    query_loss: f64,
    /// L.
    list: f64,
    /// log2 of ε(k, ρ)·F.
    gap: &'a dyn Fn(f64, f64) -> f64,
}

struct Terms {
    sizes: Sizes,
    boundary: f64,
    field_bits: f64,
    rate: f64,
    tested_rate: f64,
    columns_rate: f64,
}

impl Terms {
    fn new(sizes: &Sizes, boundary: usize) -> Terms {
        let n = sizes.domain as f64;
        let length = sizes.length as f64;
        let circle = sizes.header.profile == Profile::M31;
        let modulus = if circle {
            crate::field::M31::MODULUS
        } else {
            crate::field::Goldilocks::MODULUS
        };
        let rate = length / n;
        Terms {
            sizes: *sizes,
            boundary: boundary as f64,
            field_bits: (modulus as f64).log2() * sizes.degree as f64,
            rate,
            tested_rate: if circle { (length + 1.0) / n } else { rate },
            columns_rate: (length + if circle { 3.0 } else { 1.0 }) / n,
        }
    }

    /// Δ.
    fn agreement(&self) -> f64 {
        let (d, length) = (self.sizes.shape.degree as f64, self.sizes.length as f64);
        let (t, chunks) = (self.sizes.masking as f64, self.sizes.chunks as f64);
        if self.sizes.header.profile == Profile::M31 {
            let sigma = if self.sizes.header.zero_knowledge {
                0.75 * length
            } else {
                length
            };
            (d * (length + 2.0) + length + t + 2.0)
                .max((chunks - 1.0) * sigma + 2.0 * length + 18.0)
        } else {
            (d * (length + 1.0) + length - 1.0)
                .max(d * length + t + 1.0)
                .max((chunks - 1.0) * (length - t) + 2.0 * length)
        }
    }

    /// The least of the rounds' bits.
    fn bits(&self, regime: &Regime) -> f64 {
        let shape = self.sizes.shape;
        let per_column = if self.sizes.header.profile == Profile::M31 {
            4
        } else {
            1
        };
        let batched = 2 * shape.width + per_column * self.sizes.composition_columns - 1;
        let n = self.sizes.domain as f64;
        let constraints = shape.transitions as f64 + self.boundary;
        let list = regime.list.log2();
        let mut least = (self.field_bits - list - constraints.log2())
            .min(self.field_bits - list - self.agreement().log2());
        let batching = (batched as f64).log2() + (regime.gap)(n, self.tested_rate);
        for fold in 0..self.sizes.folds {
            let size = self.sizes.layer(fold + 1) as f64;
            let folding = 7f64.log2() + (regime.gap)(size, self.rate);
            // Batching and the first fold are one message: their errors add.
            let error = if fold == 0 {
                batching.max(folding) + (-(batching - folding).abs()).exp2().ln_1p() / 2f64.ln()
            } else {
                folding
            };
            least = least.min(self.field_bits - error);
        }
        let header = self.sizes.header;
        let queries = regime.query_bits * header.queries as f64 - regime.query_loss;
        least.min(queries + f64::from(header.grinding))
    }

    fn unique_decoding(&self) -> f64 {
        let theta = (1.0 - self.columns_rate) / 2.0;
        self.bits(&Regime {
            query_bits: -(1.0 - theta).log2(),
            query_loss: 0.0,
            list: 1.0,
            gap: &|k, _| (theta * k + 1.0).log2(),
        })
    }

    fn johnson(&self, multiplicity: f64) -> Option<f64> {
        let m = multiplicity;
        let agreement = self.tested_rate.sqrt() * (1.0 + 1.0 / (2.0 * m));
        let theta = 1.0 - agreement;
        let root = self.columns_rate.sqrt();
        if theta <= 0.0 || root >= agreement {
            return None;
        }
        // The least integer m⁺ with root·(1 + 1/(2m⁺)) ≤ 1 − θ.
        let mut list_multiplicity = (root / (2.0 * (agreement - root))).ceil().max(1.0);
        while root * (1.0 + 1.0 / (2.0 * list_multiplicity)) > agreement {
            list_multiplicity += 1.0;
        }
        let shifted = m + 0.5;
        let gap = |k: f64, rate: f64| {
            let first = (2.0 * shifted.powi(5) + 3.0 * shifted * theta * rate) * k
                / (3.0 * rate * rate.sqrt());
            (first + shifted / rate.sqrt()).log2()
        };
        Some(self.bits(&Regime {
            query_bits: -agreement.log2(),
            query_loss: 0.0,
            list: (list_multiplicity + 0.5) / root,
            gap: &gap,
        }))
    }

    fn heuristic(&self) -> f64 {
        let entropy = self.rate * (std::f64::consts::E / self.rate).log2() / self.field_bits;
        self.bits(&Regime {
            query_bits: -(self.rate + entropy).log2(),
            query_loss: 1.0,
            list: 1.0,
            gap: &|k, _| k.log2(),
        })
    }
}

/// Both figures for a statement with this many boundary constraints.
pub fn security_bits(sizes: &Sizes, boundary: usize) -> Security {
    let terms = Terms::new(sizes, boundary);
    let proven = (3..=4096)
        .filter_map(|m| terms.johnson(f64::from(m)))
        .fold(terms.unique_decoding(), f64::max);
    let rounded = |bits: f64| bits.floor().clamp(0.0, 128.0) as u32;
    Security {
        proven: rounded(proven),
        heuristic: rounded(terms.heuristic().max(proven)),
    }
}

//! What differs between multiplicative cosets and the circle.

use crate::airs::Boundary;
use crate::extension::Extension;
use crate::params::Sizes;
use crate::reader::Rejection;
use crate::transcript::Transcript;

/// What the composition's identity needs besides the out-of-domain values.
pub struct Composition<'a, E: Extension> {
    /// The transition constraints at z.
    pub transitions: &'a [E],
    pub boundary: &'a [Boundary<E::Base>],
    /// The columns at z.
    pub columns: &'a [E],
    pub alpha: E,
}

/// The 8 opened rows of a leaf.
pub struct OpenedLeaf<E: Extension> {
    pub index: usize,
    /// Eight rows of W values.
    pub trace: Vec<Vec<E::Base>>,
    /// Eight rows of K' values.
    pub composition: Vec<Vec<E>>,
}

/// Domains, constraints, quotients and folding of a profile.
pub trait Geometry: Sized {
    type E: Extension;

    fn new(sizes: Sizes, transcript: &mut Transcript) -> Self;
    /// Elements of E in the overflow.
    fn overflow_length(sizes: &Sizes) -> usize;
    /// Out-of-domain values of a composition column.
    fn values_per_column() -> usize;
    /// Values at z of periodic columns, each given by the values of its period.
    fn periodic(
        &self,
        columns: &[Vec<<Self::E as Extension>::Base>],
    ) -> Result<Vec<Self::E>, Rejection>;
    /// C(z) from the constraints.
    fn composed(&self, composition: &Composition<Self::E>) -> Result<Self::E, Rejection>;
    /// C(z) from the committed chunks' out-of-domain values and the overflow.
    fn committed(&self, chunks: &[Self::E], overflow: &[Self::E]) -> Self::E;
    /// deep at the 8 points of a leaf. `values` are all out-of-domain values.
    fn deep(
        &self,
        leaf: &OpenedLeaf<Self::E>,
        values: &[Self::E],
        gamma: Self::E,
    ) -> Result<Vec<Self::E>, Rejection>;
    /// The fold of leaf `index` of layer `layer`.
    fn fold(&self, layer: usize, index: usize, values: &[Self::E], lambda: Self::E) -> Self::E;
    /// Leaf and slot of position `index` of layer `layer`.
    fn place(&self, layer: usize, index: usize) -> (usize, usize);
    /// The final polynomial at position `index` of the last layer.
    fn last(&self, coefficients: &[Self::E], index: usize) -> Self::E;
}

/// Σ powers of `base` times values, lowest first.
pub fn horner<E: Extension>(values: impl DoubleEndedIterator<Item = E>, base: E) -> E {
    values
        .rev()
        .fold(E::zero(), |sum, value| sum * base + value)
}

/// The inverse of a divisor. None is zero in an honest proof, but the input decides.
pub fn invert<E: Extension>(value: E) -> Result<E, Rejection> {
    value
        .inverse()
        .ok_or_else(|| Rejection::new("a divisor is zero"))
}

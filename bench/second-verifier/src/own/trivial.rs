//! Constraints that say nothing, as our reader refuses them: zero whatever stands in the rows.

use super::Definition;
use crate::extension::Extension;
use crate::transcript::Transcript;

/// Whether a constraint is zero as a polynomial of the cells, cycles and public inputs. It is evaluated at a point that the
/// definition's hash gives: at most 3 of p^e points deceive, and then a constraint that says something is refused.
pub fn is_zero_for_any_rows<E: Extension>(definition: &Definition) -> bool {
    let mut point = Transcript::default();
    point.absorb(1, definition.hash());
    let mut draw = |count: usize| -> Vec<E> { (0..count).map(|_| point.draw()).collect() };
    let width = definition.shape().width;
    let (row, next) = (draw(width), draw(width));
    let cycles = draw(definition.cycle_count());
    let public = draw(definition.public_count());
    let values = definition.constraints::<E::Base, E>(&row, &next, &cycles, &public);
    values.contains(&E::zero())
}

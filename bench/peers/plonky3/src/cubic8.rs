//! Eight columns, each the cube of itself plus its right neighbour, over any field.

use p3_air::{Air, AirBuilder, BaseAir, WindowAccess};
use p3_field::{PrimeCharacteristicRing, PrimeField64};
use p3_matrix::dense::RowMajorMatrix;

pub const WIDTH: usize = 8;

pub struct Cubic8;

impl<F> BaseAir<F> for Cubic8 {
    fn width(&self) -> usize {
        WIDTH
    }

    /// The first row, then the last.
    fn num_public_values(&self) -> usize {
        2 * WIDTH
    }
}

fn step<R: PrimeCharacteristicRing>(state: &[R]) -> [R; WIDTH] {
    core::array::from_fn(|i| state[i].clone().cube() + state[(i + 1) % WIDTH].clone())
}

impl<AB: AirBuilder> Air<AB> for Cubic8 {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let current: [AB::Expr; WIDTH] = core::array::from_fn(|i| main.current_slice()[i].into());
        let next: [AB::Expr; WIDTH] = core::array::from_fn(|i| main.next_slice()[i].into());
        let public: [AB::Expr; 2 * WIDTH] = core::array::from_fn(|i| builder.public_values()[i].into());
        let expected = step(&current);
        for i in 0..WIDTH {
            builder
                .when_first_row()
                .assert_eq(current[i].clone(), public[i].clone());
            builder
                .when_transition()
                .assert_eq(next[i].clone(), expected[i].clone());
            builder
                .when_last_row()
                .assert_eq(current[i].clone(), public[WIDTH + i].clone());
        }
    }
}

/// The trace that begins with 1, 2, …, 8.
pub fn build_trace<F: PrimeField64>(row_count: usize) -> RowMajorMatrix<F> {
    let mut values = F::zero_vec(row_count * WIDTH);
    let mut state: [F; WIDTH] = core::array::from_fn(|i| F::from_u64(i as u64 + 1));
    for row in values.chunks_exact_mut(WIDTH) {
        row.copy_from_slice(&state);
        state = step(&state);
    }
    RowMajorMatrix::new(values, WIDTH)
}

pub fn public_values<F: PrimeField64>(trace: &RowMajorMatrix<F>) -> Vec<F> {
    let last = trace.values.len() - WIDTH;
    [&trace.values[..WIDTH], &trace.values[last..]].concat()
}

//! Eight columns over Goldilocks, each the cube of itself plus its right neighbour.

use winterfell::crypto::{DefaultRandomCoin, MerkleTree, hashers::Blake3_256};
use winterfell::math::{FieldElement, ToElements, fields::f64::BaseElement};
use winterfell::matrix::ColMatrix;
use winterfell::{
    Air, AirContext, Assertion, AuxRandElements, CompositionPoly, CompositionPolyTrace,
    ConstraintCompositionCoefficients, DefaultConstraintCommitment, DefaultConstraintEvaluator,
    DefaultTraceLde, EvaluationFrame, PartitionOptions, ProofOptions, Prover, StarkDomain, Trace, TraceInfo,
    TracePolyTable, TraceTable, TransitionConstraintDegree,
};

pub const WIDTH: usize = 8;

pub type Hash = Blake3_256<BaseElement>;
pub type Coin = DefaultRandomCoin<Hash>;
pub type Commitment = MerkleTree<Hash>;

#[derive(Clone)]
pub struct PublicInputs {
    pub input: [BaseElement; WIDTH],
    pub output: [BaseElement; WIDTH],
}

impl ToElements<BaseElement> for PublicInputs {
    fn to_elements(&self) -> Vec<BaseElement> {
        [self.input, self.output].concat()
    }
}

pub struct Cubic8Air {
    context: AirContext<BaseElement>,
    public: PublicInputs,
}

fn step<E: FieldElement>(state: &[E]) -> [E; WIDTH] {
    core::array::from_fn(|i| state[i] * state[i] * state[i] + state[(i + 1) % WIDTH])
}

impl Air for Cubic8Air {
    type BaseField = BaseElement;
    type PublicInputs = PublicInputs;

    fn new(trace_info: TraceInfo, public: PublicInputs, options: ProofOptions) -> Self {
        let degrees = vec![TransitionConstraintDegree::new(3); WIDTH];
        let context = AirContext::new(trace_info, degrees, 2 * WIDTH, options);
        Self { context, public }
    }

    fn context(&self) -> &AirContext<BaseElement> {
        &self.context
    }

    fn evaluate_transition<E: FieldElement<BaseField = BaseElement>>(
        &self,
        frame: &EvaluationFrame<E>,
        _periodic: &[E],
        result: &mut [E],
    ) {
        let expected = step(frame.current());
        for ((value, next), expected) in result.iter_mut().zip(frame.next()).zip(expected) {
            *value = *next - expected;
        }
    }

    fn get_assertions(&self) -> Vec<Assertion<BaseElement>> {
        let last = self.trace_length() - 1;
        let at = |row, values: &[BaseElement; WIDTH]| {
            values
                .iter()
                .enumerate()
                .map(move |(column, &value)| Assertion::single(column, row, value))
                .collect::<Vec<_>>()
        };
        [at(0, &self.public.input), at(last, &self.public.output)].concat()
    }
}

pub struct Cubic8Prover {
    pub options: ProofOptions,
}

/// The trace that begins with 1, 2, …, 8.
pub fn build_trace(row_count: usize) -> TraceTable<BaseElement> {
    let mut trace = TraceTable::new(WIDTH, row_count);
    trace.fill(
        |state| {
            for (i, value) in state.iter_mut().enumerate() {
                *value = BaseElement::new(i as u64 + 1);
            }
        },
        |_, state| {
            let next = step(state);
            state.copy_from_slice(&next);
        },
    );
    trace
}

pub fn public_inputs(trace: &TraceTable<BaseElement>) -> PublicInputs {
    let row = |step| core::array::from_fn(|column| trace.get(column, step));
    PublicInputs {
        input: row(0),
        output: row(trace.length() - 1),
    }
}

impl Prover for Cubic8Prover {
    type BaseField = BaseElement;
    type Air = Cubic8Air;
    type Trace = TraceTable<BaseElement>;
    type HashFn = Hash;
    type VC = Commitment;
    type RandomCoin = Coin;
    type TraceLde<E: FieldElement<BaseField = BaseElement>> = DefaultTraceLde<E, Hash, Commitment>;
    type ConstraintCommitment<E: FieldElement<BaseField = BaseElement>> =
        DefaultConstraintCommitment<E, Hash, Commitment>;
    type ConstraintEvaluator<'a, E: FieldElement<BaseField = BaseElement>> =
        DefaultConstraintEvaluator<'a, Cubic8Air, E>;

    fn get_pub_inputs(&self, trace: &Self::Trace) -> PublicInputs {
        public_inputs(trace)
    }

    fn options(&self) -> &ProofOptions {
        &self.options
    }

    fn new_trace_lde<E: FieldElement<BaseField = BaseElement>>(
        &self,
        trace_info: &TraceInfo,
        main_trace: &ColMatrix<BaseElement>,
        domain: &StarkDomain<BaseElement>,
        partitions: PartitionOptions,
    ) -> (Self::TraceLde<E>, TracePolyTable<E>) {
        DefaultTraceLde::new(trace_info, main_trace, domain, partitions)
    }

    fn new_evaluator<'a, E: FieldElement<BaseField = BaseElement>>(
        &self,
        air: &'a Cubic8Air,
        aux_rand_elements: Option<AuxRandElements<E>>,
        coefficients: ConstraintCompositionCoefficients<E>,
    ) -> Self::ConstraintEvaluator<'a, E> {
        DefaultConstraintEvaluator::new(air, aux_rand_elements, coefficients)
    }

    fn build_constraint_commitment<E: FieldElement<BaseField = BaseElement>>(
        &self,
        trace: CompositionPolyTrace<E>,
        column_count: usize,
        domain: &StarkDomain<BaseElement>,
        partitions: PartitionOptions,
    ) -> (Self::ConstraintCommitment<E>, CompositionPoly<E>) {
        DefaultConstraintCommitment::new(trace, column_count, domain, partitions)
    }
}

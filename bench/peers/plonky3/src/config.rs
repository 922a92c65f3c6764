//! The two configurations: Plonky3's own Keccak ones of its examples, with our parameters.

use core::marker::PhantomData;

use p3_challenger::{HashChallenger, SerializingChallenger32, SerializingChallenger64};
use p3_circle::CirclePcs;
use p3_commit::ExtensionMmcs;
use p3_dft::Radix2DitParallel;
use p3_field::extension::BinomialExtensionField;
use p3_fri::{FriParameters, TwoAdicFriPcs};
use p3_goldilocks::Goldilocks;
use p3_keccak::{Keccak256Hash, KeccakF, VECTOR_LEN};
use p3_merkle_tree::MerkleTreeMmcs;
use p3_mersenne_31::Mersenne31;
use p3_symmetric::{CompressionFunctionFromHasher, PaddingFreeSponge, SerializingHasher};
use p3_uni_stark::StarkConfig;

const LOG2_BLOWUP: usize = 3;
/// A cap of 16 nodes.
const CAP_HEIGHT: usize = 4;
const LOG2_FOLDING: usize = 3;

type Sponge = PaddingFreeSponge<KeccakF, 25, 17, 4>;
type Mmcs<F> = MerkleTreeMmcs<
    [F; VECTOR_LEN],
    [u64; VECTOR_LEN],
    SerializingHasher<Sponge>,
    CompressionFunctionFromHasher<Sponge, 2, 4>,
    2,
    4,
>;
type ByteChallenger = HashChallenger<u8, Keccak256Hash, 32>;

type GoldilocksExtension = BinomialExtensionField<Goldilocks, 2>;
pub type GoldilocksConfig = StarkConfig<
    TwoAdicFriPcs<
        Goldilocks,
        Radix2DitParallel<Goldilocks>,
        Mmcs<Goldilocks>,
        ExtensionMmcs<Goldilocks, GoldilocksExtension, Mmcs<Goldilocks>>,
    >,
    GoldilocksExtension,
    SerializingChallenger64<Goldilocks, ByteChallenger>,
>;

type Mersenne31Extension = BinomialExtensionField<Mersenne31, 3>;
pub type CircleConfig = StarkConfig<
    CirclePcs<Mersenne31, Mmcs<Mersenne31>, ExtensionMmcs<Mersenne31, Mersenne31Extension, Mmcs<Mersenne31>>>,
    Mersenne31Extension,
    SerializingChallenger32<Mersenne31, ByteChallenger>,
>;

fn mmcs<F>() -> Mmcs<F> {
    let sponge = Sponge::new(KeccakF {});
    Mmcs::new(
        SerializingHasher::new(sponge),
        CompressionFunctionFromHasher::new(sponge),
        CAP_HEIGHT,
    )
}

pub fn goldilocks(queries: usize, grinding: usize, log2_final: usize) -> GoldilocksConfig {
    let parameters = FriParameters {
        log_blowup: LOG2_BLOWUP,
        log_final_poly_len: log2_final,
        max_log_arity: LOG2_FOLDING,
        num_queries: queries,
        batch_proof_of_work_bits: 0,
        commit_proof_of_work_bits: 0,
        query_proof_of_work_bits: grinding,
        mmcs: ExtensionMmcs::new(mmcs()),
    };
    let pcs = TwoAdicFriPcs::new(Radix2DitParallel::default(), mmcs(), parameters);
    StarkConfig::new(
        pcs,
        SerializingChallenger64::from_hasher(vec![], Keccak256Hash {}),
    )
}

/// Its circle PCS knows neither early stopping nor folding by more than two.
pub fn circle(queries: usize, grinding: usize) -> CircleConfig {
    let fri_params = FriParameters {
        log_blowup: LOG2_BLOWUP,
        log_final_poly_len: 0,
        max_log_arity: 1,
        num_queries: queries,
        batch_proof_of_work_bits: 0,
        commit_proof_of_work_bits: 0,
        query_proof_of_work_bits: grinding,
        mmcs: ExtensionMmcs::new(mmcs()),
    };
    let pcs = CirclePcs {
        mmcs: mmcs(),
        fri_params,
        _phantom: PhantomData,
    };
    StarkConfig::new(
        pcs,
        SerializingChallenger32::from_hasher(vec![], Keccak256Hash {}),
    )
}

//! Known answers of the document and the laws that its fields and domains must obey.

use second_verifier::airs::Air;
use second_verifier::circle::{
    basis, double_x, first_layer_point, generator, later_layer_x, vanishing, Point,
};
use second_verifier::extension::{Cm31, Extension, Gl2, Gl3, Qm31};
use second_verifier::field::{root_of_unity, Field, Goldilocks, M31};
use second_verifier::params::{Header, Profile, Sizes, SETS};
use second_verifier::poseidon2::{Poseidon2, SpongeField};
use second_verifier::security::security_bits;
use second_verifier::transcript::Transcript;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Ids and digests over Goldilocks and M31, from section 11: of version 2.
const DIGESTS_V2: [(&str, &str, Option<&str>); 11] = [
    (
        "binding/v2",
        "63787281873264a0f505d1d06e9408be882a8a07184ae1242fd37a27d396694c",
        Some("e3bbaafa6d857de1c53e995b6ada2b9e6020d123fd9a203e4dc5d79fe2486ab3"),
    ),
    (
        "preimage/v2",
        "f79cb950997248cce7ea843348bad967611d4327ee243364b9b328cf490d1a73",
        Some("a6d050c738022a372a023fdc1218746b3a6c0b75c605617ad375c5aceb5bd339"),
    ),
    (
        "hash-chain/v1",
        "f8a02fc6978599047bcc1b1521a1f245249230fd5cae8e818e285330702e7d23",
        Some("427dd399e791c085ab3999ca4103d1a292d0de2d8c8e8d2bdfbb4b92ca0b5cde"),
    ),
    (
        "binding/v1",
        "24ed0b650f1a2db38a1ef4449de5dd6e31f0c746be892f8b948905e81c109922",
        Some("767bb504e4ee59a95d7d7f09bef6b0498bb9690b54be9fd4285d0b1be8ac1c36"),
    ),
    (
        "preimage/v1",
        "ffe3ac3a5aea2a7a26e3ae587febb8df6cd9159e66ad40a0cc1463cb4f81ef64",
        Some("744311cf806257f8727ce46320efd102244751d4429ea65dc83e48ae405f927b"),
    ),
    (
        "spatial-box/v1",
        "c83151afdf4dd6fe522036019608d2c3e6a94b4dbd9a555c223fa7d6ccf1e415",
        None,
    ),
    (
        "raw/fibonacci/v1",
        "0cdfa710b723d8ac35c1b99a4c78e3118ae243aae044635a5652d79591b96d94",
        Some("cc7ba569a9d62681e491e5c23444f4f0617e55ccc41e10bb757005320af49ddc"),
    ),
    (
        "raw/counter/v1",
        "6518aa25f01547ae24eddef935f73db201611446aa3075e11393763e1b21a7c7",
        Some("96c8ccf9ee59702543d3fcb3fd2afa827f7df22af2498165330614719f17019a"),
    ),
    (
        "raw/lif-step/v1",
        "29c1feae1adf0bb208980894f942777872d97c43f43d1c456179ae2caee95780",
        Some("5607afa055834eec796896a2271b2f773165c6f803929acdd969be8954e064fe"),
    ),
    (
        "raw/cubic8/v1",
        "b5f2a2485e0bb17d83d781697cfad604b131c515d81b64a310016f9f15ef0176",
        Some("aec28b7afa4501b8bfb09fdeacbc0fe7fab52a91dae1a0d6f085eade66782655"),
    ),
    (
        "rules/v1",
        "dd48e78adae2e2be5223ac874dc930120d14c84bf4d2fd724638944db18e2915",
        None,
    ),
];

/// The same of version 3.
const DIGESTS_V3: [(&str, &str, Option<&str>); 11] = [
    (
        "binding/v1",
        "bb92785a2f575e09bd7a0dc4672cba7d902e744a36d4543dc330950454c43875",
        Some("b89544a2eb36484b017d0183c5f225045b68a22d91a643564bf36d6e17d87ee4"),
    ),
    (
        "binding/v2",
        "28abda66a886224b4ed869a4c908196ee568df047de9fa5240a50b21616fd779",
        Some("795b26db719966631030845f721552a71049363dfa2bec586585cbe10b2def40"),
    ),
    (
        "hash-chain/v1",
        "a58e52b8bc232d37c31d1b48f6bb2c74336ef468cb6401810ae411333c46361a",
        Some("e28348ad6d7d6bdc7b55e808c9c904467267a004385c1edb4401a50ff4d1f93d"),
    ),
    (
        "preimage/v1",
        "607741e09c00b3399be23674c967c0879ccef0b3883c237efa183484ef7da273",
        Some("ff438466d1a1d0777ba1a2f9d3cf87722675623cb93aff5f9cae858cee201679"),
    ),
    (
        "preimage/v2",
        "920f4a199ab276de9c19e93182aae8a700b592f60167c460bc629279a9e9d1ae",
        Some("9872f4243df067003c6385ebc6a59a63f57969b6d7cc10fb57c92cfafc576f3f"),
    ),
    (
        "raw/counter/v1",
        "4d00cf632f458792cd8db4fe71fa814090b8a59016e07ba8b49823d5d6f82e18",
        Some("199799105abdce79c1bf04c8769f0ecb10b683ebb0c8a3f3c28986e31f7b7fec"),
    ),
    (
        "raw/cubic8/v1",
        "621aa37fb30ddfe803ee18bbea76913533a2ea962aa12f9831980fce85c2033a",
        Some("519a347b96d96af80b2e336533e766eec297fb07f29d4007a22a98733ec38e2e"),
    ),
    (
        "raw/fibonacci/v1",
        "591b94cd23549b53c683613abe5f7c8f0d2a21d5c5b5623c9292eaafd6fbc0f8",
        Some("f11ee9e281bccf536bb54a2a593b9bdba7a4bd3d06bd92f13c66a52c5e2464d6"),
    ),
    (
        "raw/lif-step/v1",
        "3a17a5981b72a00e85262de5fb81902d63dbf509a794389c7212015bad6d5fad",
        Some("23a10d5b020cfdcd11438c8a8bee49a021422594a090fc89bebd869792fcddad"),
    ),
    (
        "rules/v1",
        "2a8218dd3bc13ec214e2b05c71c7b55edf0c698f969c6739c0cf8f927ba549d1",
        None,
    ),
    (
        "spatial-box/v1",
        "769a610ce72fedd32eba33b649e1c4d4636442a9f9612585915371a05b28d158",
        None,
    ),
];

#[test]
fn the_digests_of_all_airs_are_those_of_the_document() {
    let mut wrong = Vec::new();
    for (version, digests) in [(2, DIGESTS_V2), (3, DIGESTS_V3)] {
        assert_eq!(Air::all().count(), digests.len());
        for (id, goldilocks, m31) in digests {
            let air = Air::find(id).expect("an AIR of the document");
            if hex(&air.digest::<Goldilocks>(version)) != goldilocks {
                wrong.push((version, id, "Goldilocks"));
            }
            assert_eq!(air.is_over::<M31>(), m31.is_some());
            if m31.is_some_and(|digest| hex(&air.digest::<M31>(version)) != digest) {
                wrong.push((version, id, "M31"));
            }
        }
    }
    assert_eq!(wrong, []);
}

#[test]
fn there_are_as_many_constraints_as_the_shapes_say() {
    fn check<F: SpongeField>(air: Air) {
        let shape = air.shape::<F>();
        let row = vec![F::one(); shape.width];
        let periodic = vec![F::one(); air.periodic_columns::<F>().len()];
        let constraints = air.constraints::<F, F>(&row, &row, &periodic);
        assert_eq!(constraints.len(), shape.transitions, "{}", air.id());
    }
    for air in Air::all() {
        check::<Goldilocks>(air);
        if air.is_over::<M31>() {
            check::<M31>(air);
        }
    }
}

#[test]
fn the_permutations_give_the_known_answers() {
    fn permuted<F: SpongeField>() -> Vec<u64> {
        let mut state: Vec<F> = (0..F::WIDTH as u64).map(F::new).collect();
        Poseidon2::default().permute(&mut state);
        state.iter().map(|lane| lane.value()).collect()
    }
    assert_eq!(
        permuted::<Goldilocks>()[..2],
        [0x020cf04a1b214d14, 0x84e14aaaeacaed25]
    );
    assert_eq!(permuted::<M31>()[..2], [0x0b2c803a, 0x5b1ee4d1]);
}

/// A reproducible stream of random elements.
fn stream(seed: u8) -> Transcript {
    let mut transcript = Transcript::default();
    transcript.absorb(seed, b"laws");
    transcript
}

#[test]
fn the_extensions_are_fields() {
    fn laws<E: Extension>() {
        let mut source = stream(E::DEGREE as u8);
        for _ in 0..50 {
            let (a, b, c): (E, E, E) = (source.draw(), source.draw(), source.draw());
            assert_eq!(a * b, b * a);
            assert_eq!((a * b) * c, a * (b * c));
            assert_eq!(a * (b + c), a * b + a * c);
            assert_eq!(a - a, E::zero());
            assert_eq!(a + -b, a - b);
            assert_eq!(a * a.inverse().expect("not zero"), E::one());
        }
        assert_eq!(E::zero().inverse(), None);
    }
    laws::<Gl3>();
    laws::<Gl2>();
    laws::<Cm31>();
    laws::<Qm31>();
}

#[test]
fn the_generators_of_the_extensions_obey_their_equations() {
    let unit = |i: usize, n: usize| -> Vec<Goldilocks> {
        (0..n).map(|j| Goldilocks::new(u64::from(i == j))).collect()
    };
    let phi = Gl3::from_coordinates(&unit(1, 3));
    assert_eq!(phi * phi * phi, phi + Gl3::one());
    let phi = Gl2::from_coordinates(&unit(1, 2));
    assert_eq!(phi * phi, Gl2::from(Goldilocks::new(7)));
    let i = Cm31([M31::zero(), M31::one()]);
    assert_eq!(i * i, -Cm31::one());
    let u = Qm31::join(Cm31::zero(), Cm31::one());
    assert_eq!(u * u, Qm31::from(Cm31([M31::new(2), M31::one()])));
}

#[test]
fn elements_are_canonical_or_refused() {
    assert_eq!(Goldilocks::from_bytes(&[0xff; 8]), None);
    assert_eq!(
        Goldilocks::from_bytes(&Goldilocks::MODULUS.to_le_bytes()),
        None
    );
    assert_eq!(M31::from_bytes(&0x7fff_ffffu32.to_le_bytes()), None);
    assert_eq!(M31::from_bytes(&[1, 0, 0]), None);
    assert_eq!(
        M31::from_bytes(&0x7fff_fffeu32.to_le_bytes()),
        Some(-M31::one())
    );
    assert_eq!(Goldilocks::from_signed(-1), -Goldilocks::one());
}

#[test]
fn the_roots_of_unity_are_those_of_the_document() {
    assert_eq!(root_of_unity(32).value(), 0x1856_29dc_da58_878c);
    let zeta = root_of_unity(3);
    assert_eq!(zeta.power(8), Goldilocks::one());
    assert_ne!(zeta.power(4), Goldilocks::one());
}

#[test]
fn the_generators_of_the_circle_are_those_of_the_document() {
    let coordinates = |order| {
        let point = generator(order);
        (point.x.value(), point.y.value())
    };
    let p = M31::MODULUS;
    assert_eq!(coordinates(1), (1, 0));
    assert_eq!(coordinates(2), (p - 1, 0));
    assert_eq!(coordinates(4), (0, p - 1));
    assert_eq!(coordinates(8), (32768, 2147450879));
    assert_eq!(coordinates(1 << 31), (2, 1268011823));
}

#[test]
fn a_leaf_of_the_circle_has_the_points_of_the_document() {
    let size = 256;
    for leaf in 0..size / 8 {
        let at = |k| first_layer_point(size, 8 * leaf + k);
        let Point { x, y } = at(0);
        let expected = [
            (x, y),
            (x, -y),
            (-x, -y),
            (-x, y),
            (y, -x),
            (y, x),
            (-y, x),
            (-y, -x),
        ];
        for (k, (x, y)) in expected.into_iter().enumerate() {
            assert_eq!(at(k), Point { x, y });
        }
        assert_eq!(vanishing(size, x), M31::zero());
        assert_eq!(double_x(double_x(x)), later_layer_x(size / 8, leaf));
    }
}

#[test]
fn the_positions_of_a_later_leaf_map_to_one_position_of_the_next_layer() {
    let size = 512;
    for leaf in 0..size / 8 {
        for k in 0..8 {
            let x = later_layer_x(size, 8 * leaf + k);
            let folded = double_x(double_x(double_x(x)));
            assert_eq!(folded, later_layer_x(size / 8, leaf));
        }
    }
}

#[test]
fn basis_polynomials_beyond_a_coset_are_multiples_of_its_vanishing_polynomial() {
    let point = first_layer_point(1 << 12, 77);
    for j in 0..64 {
        let product = vanishing(64, point.x) * basis(j, point);
        assert_eq!(basis(64 + j, point), product);
    }
}

/// Security of a set at 2^16 rows, β = 8, W = 25, T + B = 47, d = 3 (table of section 13).
fn security_of(name: &str) -> (u32, u32) {
    let (_, profile, grinding, queries) = SETS
        .into_iter()
        .find(|set| set.0 == name)
        .expect("a published set");
    let header = Header {
        version: 3,
        profile,
        log_length: 16,
        log_blowup: 3,
        grinding,
        queries: queries[2],
        zero_knowledge: false,
    };
    let degree = match profile {
        Profile::Gl3 => 3,
        Profile::Gl2 => 2,
        Profile::M31 => 4,
    };
    let shape = Air::HashChain.shape::<Goldilocks>();
    let sizes = Sizes::new(header, shape, degree).expect("allowed sizes");
    let security = security_bits(&sizes, 22);
    (security.proven, security.heuristic)
}

#[test]
fn the_security_figures_are_those_of_the_table() {
    assert_eq!(security_of("conjectured96"), (56, 94));
    assert_eq!(security_of("P100"), (101, 128));
    assert_eq!(security_of("P128"), (128, 128));
    assert_eq!(security_of("udr100"), (103, 103));
    assert_eq!(security_of("m31"), (86, 99));
    assert_eq!(security_of("m31-fast"), (60, 99));
}

/// Chunks of P100 at β = 8 in zero knowledge, for d = 3 (section 6).
#[test]
fn the_composition_has_as_many_chunks_as_the_masks_leave_room_for() {
    let chunks = |log_length| {
        let header = Header {
            version: 3,
            profile: Profile::Gl3,
            log_length,
            log_blowup: 3,
            grinding: 16,
            queries: 57,
            zero_knowledge: true,
        };
        let shape = Air::HashChain.shape::<Goldilocks>();
        assert_eq!(shape.degree, 3);
        Sizes::new(header, shape, 3).map(|sizes| sizes.chunks)
    };
    assert!(chunks(10).is_err());
    assert_eq!(chunks(11).expect("allowed sizes"), 5);
    for log_length in 12..=20 {
        assert_eq!(chunks(log_length).expect("allowed sizes"), 3);
    }
}

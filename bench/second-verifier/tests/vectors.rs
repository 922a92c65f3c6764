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

/// Ids and digests over Goldilocks and M31, from section 11.
const DIGESTS: [(&str, &str, Option<&str>); 9] = [
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

#[test]
fn the_digests_of_all_airs_are_those_of_the_document() {
    assert_eq!(Air::all().count(), DIGESTS.len());
    let mut wrong = Vec::new();
    for (id, goldilocks, m31) in DIGESTS {
        let air = Air::find(id).expect("an AIR of the document");
        if hex(&air.digest::<Goldilocks>()) != goldilocks {
            wrong.push((id, "Goldilocks"));
        }
        assert_eq!(air.is_over::<M31>(), m31.is_some());
        if m31.is_some_and(|digest| hex(&air.digest::<M31>()) != digest) {
            wrong.push((id, "M31"));
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
    (security.proven, security.conjectured)
}

#[test]
fn the_security_figures_are_those_of_the_table() {
    assert_eq!(security_of("conjectured96"), (56, 96));
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

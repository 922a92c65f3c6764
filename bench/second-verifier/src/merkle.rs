//! Merkle caps and multiproofs.

use crate::reader::{Reader, Rejection};
use crate::transcript::{keyed_hash, Digest};

pub fn leaf_hash(leaf: &[u8]) -> Digest {
    keyed_hash("svc/stark/v2/leaf", leaf)
}

pub fn node_hash(left: &Digest, right: &Digest) -> Digest {
    keyed_hash("svc/stark/v2/node", &[&left[..], &right[..]].concat())
}

/// Number of nodes in the cap of a tree.
pub fn cap_size(leaf_count: usize) -> usize {
    leaf_count.min(16)
}

pub fn read_cap(reader: &mut Reader, leaf_count: usize) -> Result<Vec<Digest>, Rejection> {
    (0..cap_size(leaf_count)).map(|_| reader.digest()).collect()
}

/// Reads the nodes of a multiproof for ascending distinct `leaves` (index, hash) and checks that they lead to `cap`.
pub fn check_multiproof(
    reader: &mut Reader,
    cap: &[Digest],
    leaf_count: usize,
    leaves: Vec<(usize, Digest)>,
) -> Result<(), Rejection> {
    let mut known = leaves;
    let mut width = leaf_count;
    while width > cap.len() {
        let mut parents = Vec::with_capacity(known.len());
        let mut i = 0;
        while i < known.len() {
            let (index, hash) = known[i];
            let pair = known.get(i + 1).filter(|(other, _)| *other == index ^ 1);
            i += if pair.is_some() { 2 } else { 1 };
            let sibling = match pair {
                Some((_, sibling)) => *sibling,
                None => reader.digest()?,
            };
            let parent = if index & 1 == 0 {
                node_hash(&hash, &sibling)
            } else {
                node_hash(&sibling, &hash)
            };
            parents.push((index >> 1, parent));
        }
        known = parents;
        width /= 2;
    }
    for (index, hash) in known {
        if cap.get(index) != Some(&hash) {
            return Err(Rejection::new("an opening does not lie under its cap"));
        }
    }
    Ok(())
}

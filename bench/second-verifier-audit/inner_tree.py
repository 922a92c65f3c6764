"""The inner tree of audit proofs of version 3, written from docs/audit-proofs.md: Python's own library and nothing else.

    python3 inner_tree.py VECTORS

VECTORS: published vectors, JSON with `audits`, of which those of version 3 are read. Prints a line of JSON for each: whether the
digests of request and result are those that are stated, the root of the inner tree, and the content digest of the leaf of the
batch that stands for it. What comes after, the hash of that leaf and its path, is the same as of version 1.
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "second-verifier-wal"))
from verify_wal import canonical, sha256  # noqa: E402

TAG = b"svc/audit-inner/v1"


def hexed(data):
    return "0x" + data.hex()


def unhexed(text):
    return bytes.fromhex(text[2:])


def digest(value):
    return sha256(canonical(value))


def leaf_of(audit):
    ruleset = digest({"id": audit["rulesetId"], "rules": []})
    names = ("proves", "doesNotProve", "requestDigest", "resultDigest")
    content = digest({"version": 1, **{name: audit[name] for name in names}, "part": 0, "parts": 1})
    return sha256(b"\0", bytes([len(TAG)]), TAG, unhexed(audit["inner"]["salt"]), ruleset, content)


def root_of(node, index, count, path):
    """RFC 9162, section 2.1.3.2."""
    last = count - 1
    if index > last:
        raise ValueError("the index is not below the count")
    for sibling in path:
        if last == 0:
            raise ValueError("the path is too long")
        if index % 2 == 1 or index == last:
            node = sha256(b"\1", sibling, node)
            while index % 2 == 0 and index != 0:
                index, last = index // 2, last // 2
        else:
            node = sha256(b"\1", node, sibling)
        index, last = index // 2, last // 2
    if last != 0:
        raise ValueError("the path is too short")
    return node


def main(file):
    vectors = json.loads(pathlib.Path(file).read_text("utf8"))
    for vector in vectors["audits"]:
        audit = vector["auditProof"]
        if audit["version"] != 3:
            continue
        inner = audit["inner"]
        path = [unhexed(node) for node in inner["path"]]
        root = root_of(leaf_of(audit), inner["index"], inner["count"], path)
        stated = [audit["requestDigest"], audit["resultDigest"]]
        content = digest({"version": 3, "innerRoot": hexed(root), "innerCount": inner["count"]})
        print(
            json.dumps(
                {
                    "digests": [hexed(digest(vector[name])) for name in ("request", "result")] == stated,
                    "root": hexed(root),
                    "content": hexed(content),
                }
            )
        )


if __name__ == "__main__":
    main(sys.argv[1])

"""A second verifier of the write-ahead log, written from docs/wal-format.md: Python's own library and nothing else.

    python3 verify_wal.py LOG [CHECKPOINTS KEYS]

LOG: JSON lines, each a saga as `GET /v1/x402/sagas/{sagaId}` shows it, of which `sagaId` and `walEvents` are read.
CHECKPOINTS: JSON lines as the service writes them. KEYS: the published keys. Prints `VALID`, or a line for each saga and
checkpoint that does not hold, and exits with 1.
"""

import base64
import hashlib
import json
import re
import sys
from datetime import datetime

RECORD = b"svc-wal-record/v1\n"
GENESIS = b"svc-wal-genesis/v1\n"
CHECKPOINT = b"svc-wal-checkpoint/v1\n"


class Invalid(Exception):
    """What does not hold."""


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


# --- RFC 8785 ---------------------------------------------------------------------------------------------------------


def number_text(value):
    """ECMAScript's text of a double: the shortest digits that read back, exponents from 1e21 and below 1e-6."""
    if value == 0:
        return "0"
    sign, mantissa = ("-" if value < 0 else ""), repr(abs(value))
    digits, _, exponent = mantissa.partition("e")
    whole, _, fraction = digits.partition(".")
    fraction = "" if fraction == "0" else fraction
    point = len(whole) + int(exponent or 0)
    digits = whole + fraction
    stripped = digits.lstrip("0")
    point -= len(digits) - len(stripped)
    digits = stripped.rstrip("0")
    count = len(digits)
    if count <= point <= 21:
        return sign + digits + "0" * (point - count)
    if 0 < point <= 21:
        return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    head = digits[0] + ("." + digits[1:] if count > 1 else "")
    return f"{sign}{head}e{'+' if point > 0 else '-'}{abs(point - 1)}"


def jcs(value):
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (int, float)):
        return number_text(float(value))
    if isinstance(value, str):
        value.encode("utf-8")  # A lone surrogate has no UTF-8.
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return "[" + ",".join(map(jcs, value)) + "]"
    names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
    return "{" + ",".join(jcs(name) + ":" + jcs(value[name]) for name in names) + "}"


def canonical(value):
    try:
        return jcs(value).encode("utf-8")
    except UnicodeEncodeError:
        raise Invalid("payload-not-canonical") from None


# --- Ed25519, RFC 8032 ------------------------------------------------------------------------------------------------

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)


def point_add(a, b):
    """Of the extended coordinates (X, Y, Z, T)."""
    e = (a[1] - a[0]) * (b[1] - b[0]) % P
    f = (a[1] + a[0]) * (b[1] + b[0]) % P
    g = 2 * a[3] * b[3] * D % P
    h = 2 * a[2] * b[2] % P
    x, y, z, t = f - e, h - g, h + g, f + e
    return x * y % P, z * t % P, y * z % P, x * t % P


def point_times(scalar, point):
    total = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            total = point_add(total, point)
        point = point_add(point, point)
        scalar >>= 1
    return total


def point_of(encoded):
    y = int.from_bytes(encoded, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * ROOT_OF_MINUS_ONE % P
    if x * x % P != square or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


BASE = point_of((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def is_signed(public_key, message, signature):
    if len(public_key) != 32 or len(signature) != 64:
        return False
    key, nonce = point_of(public_key), point_of(signature[:32])
    scalar = int.from_bytes(signature[32:], "little")
    if key is None or nonce is None or scalar >= ORDER:
        return False
    challenge = hashlib.sha512(signature[:32] + public_key + message).digest()
    left = point_times(scalar, BASE)
    right = point_add(nonce, point_times(int.from_bytes(challenge, "little") % ORDER, key))
    return (left[0] * right[2] - right[0] * left[2]) % P == 0 and (left[1] * right[2] - right[1] * left[2]) % P == 0


# --- the format -------------------------------------------------------------------------------------------------------


def digest_of(text):
    if not isinstance(text, str) or not re.fullmatch("0x[0-9a-f]{64}", text):
        raise Invalid("digest-malformed")
    return bytes.fromhex(text[2:])


def verify_chain(saga, events):
    """Heads by count: what a checkpoint can have sealed. @raises Invalid with the number of the record"""
    heads, previous = {}, None
    for expected, event in enumerate(events):
        try:
            digest, payload = digest_of(event["hash"]), event["payload"]
            if event["seq"] != expected:
                raise Invalid("seq")
            payload_digest = sha256(canonical(payload))
            if digest_of(event["payloadDigest"]) != payload_digest:
                raise Invalid("payload-digest")
            if previous is None:
                if event["kind"] != "SAGA_BEGIN":
                    raise Invalid("no SAGA_BEGIN")
                genesis = {name: payload[name] for name in ("name", "version", "steps", "inputDigest")}
                before = sha256(GENESIS, canonical(genesis))
            else:
                before = digest_of(previous["hash"])
                if event["fence"] < previous["fence"] or event["at"] < previous["at"]:
                    raise Invalid("fence or time fell")
            if digest_of(event["prevHash"]) != before:
                raise Invalid("prev-hash")
            idem = digest_of(event["idemKey"]).hex() if "idemKey" in event else None
            header = {
                "saga": saga,
                "seq": event["seq"],
                "kind": event["kind"],
                "step": event.get("step"),
                "attempt": event["attempt"],
                "idem": idem,
                "fence": event["fence"],
                "payload": payload_digest.hex(),
                "at": event["at"],
            }
            if sha256(RECORD, canonical(header), before) != digest:
                raise Invalid("hash")
        except (KeyError, TypeError) as missing:
            raise Invalid(f"record {expected}: {missing!r}") from None
        except Invalid as reason:
            raise Invalid(f"record {expected}: {reason}") from None
        heads[expected + 1], previous = digest.hex(), event
    if not heads:
        raise Invalid("no records")
    return heads


def merkle_root(leaves):
    if len(leaves) == 1:
        return sha256(b"\x00", leaves[0])
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return sha256(b"\x01", merkle_root(leaves[:split]), merkle_root(leaves[split:]))


def time_of(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def verify_checkpoint(checkpoint, leaves, previous, keys):
    """@raises Invalid"""
    number, before = (previous["number"] + 1, previous["hash"]) if previous else (1, "0x" + "00" * 32)
    if checkpoint["number"] != number or checkpoint["prevHash"] != before:
        raise Invalid("does not link to the one before")
    if previous and checkpoint["at"] < previous["at"]:
        raise Invalid("time fell")
    data = [canonical({"saga": saga, "count": count, "head": digest_of(head).hex()}) for saga, count, head in leaves]
    sagas = [leaf[0] for leaf in leaves]
    if len(leaves) != checkpoint["leafCount"] or sorted(set(sagas)) != sagas:
        raise Invalid("leaves")
    if merkle_root(data) != digest_of(checkpoint["root"]):
        raise Invalid("root")
    signed = {name: checkpoint[name] for name in ("at", "keyId", "leafCount", "number")}
    signed |= {name: digest_of(checkpoint[name]).hex() for name in ("prevHash", "root")}
    text = CHECKPOINT + canonical(signed)
    if sha256(text) != digest_of(checkpoint["hash"]):
        raise Invalid("hash")
    key = next((key for key in keys if key["kid"] == checkpoint["keyId"] and key["alg"] == "Ed25519"), None)
    if key is None or key["revokedAt"] is not None:
        raise Invalid("key")
    at = time_of(checkpoint["at"])
    if at < time_of(key["notBefore"]) or (key["notAfter"] is not None and at >= time_of(key["notAfter"])):
        raise Invalid("key")
    public_key, signature = (
        base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)) for text in (key["publicKey"], checkpoint["signature"])
    )
    if not is_signed(public_key, text, signature):
        raise Invalid("signature")


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def main(log, checkpoints=None, keys=None):
    findings, heads = [], {}
    for saga in lines_of(log):
        try:
            heads[saga["sagaId"]] = verify_chain(saga["sagaId"], saga["walEvents"])
        except Invalid as reason:
            findings.append(f"saga {saga['sagaId']}, {reason}")
    previous = None
    published = json.load(open(keys, encoding="utf-8"))["keys"] if keys else []
    for line in lines_of(checkpoints) if checkpoints else ():
        checkpoint, leaves = line["checkpoint"], line["leaves"]
        try:
            verify_checkpoint(checkpoint, leaves, previous, published)
        except Invalid as reason:
            findings.append(f"checkpoint {checkpoint['number']}: {reason}")
        for saga, count, head in leaves:
            if heads.get(saga, {}).get(count) != head[2:]:
                findings.append(f"saga {saga}, not as checkpoint {checkpoint['number']} has it")
        previous = checkpoint
    print("\n".join(findings) if findings else "VALID")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

/**
 * Verifies the signed receipt of a paid answer with Node alone: node verify-receipt.mjs https://svc.example receipt.txt POST
 * '/v1/zk/prove' request.json answer.json [did.json]. Without a kept document the keys are asked of the origin.
 */
import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const sha256 = bytes => createHash('sha256').update(bytes).digest('hex');
const must = (holds, what) => {
  if (!holds) throw new Error(`The receipt is not good: ${what}`);
};
/** The bytes of a part, which has one spelling alone: the last character could have bits that say nothing. */
function decoded(part) {
  const bytes = Buffer.from(part, 'base64url');
  must(bytes.toString('base64url') === part, 'a part is not base64url');
  return bytes;
}

/** @returns what the receipt says of this very call to this origin @throws Error where it is not of it, or not signed by its keys */
export function verifyReceipt(receipt, document, { origin, method, target, body, answer }) {
  const [header, payload, signature, ...more] = receipt.split('.');
  must(signature !== undefined && more.length === 0, 'it has not three parts');
  const { alg, kid } = JSON.parse(decoded(header));
  must(alg === 'EdDSA', `its algorithm is ${alg}`);
  must(
    document.id === `did:web:${encodeURIComponent(new URL(origin).host)}`,
    `the keys are of ${document.id}, and the origin is ${origin}: PUBLIC_URL, or of a sandbox http://localhost and its port`,
  );
  const key = document.verificationMethod.find(({ id }) => id === kid)?.publicKeyJwk;
  must(key && document.assertionMethod.includes(kid), `${kid} is no key of the origin`);
  const publicKey = createPublicKey({ key, format: 'jwk' });
  must(verify(null, Buffer.from(`${header}.${payload}`), publicKey, decoded(signature)), 'the signature');
  const said = JSON.parse(decoded(payload));
  must(said.resourceUrl === origin + target.split('?')[0], `it is for ${said.resourceUrl}`);
  must(
    said.requestHash === `0x${sha256(`${method} ${target}\n${sha256(body)}`)}`,
    'it is for another request',
  );
  must(said.responseHash === `0x${sha256(answer)}`, 'it is for another answer');
  return said;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    const [origin, receipt, method, target, request, answer, kept] = process.argv.slice(2);
    const document = kept
      ? JSON.parse(readFileSync(kept, 'utf8'))
      : await (await fetch(`${origin}/.well-known/did.json`)).json();
    const call = { origin, method, target, body: readFileSync(request), answer: readFileSync(answer) };
    console.log(JSON.stringify(verifyReceipt(readFileSync(receipt, 'utf8').trim(), document, call), null, 2));
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}

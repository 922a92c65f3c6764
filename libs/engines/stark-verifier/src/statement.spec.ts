import type { ProofParameters } from './proof-parameters.js';
import { baseToBytes, Transcript } from '@svc/kernels';
import { type Air, airDigest, evaluatedAirDigest, findAir } from '@svc/stark-air';
import { encodeHeader } from './proof-header.js';
import { encodeContextDomain, encodeNonce, fitsAir, startTranscript, TranscriptTag } from './statement.js';

const parameters: ProofParameters = {
  profile: 'gl2',
  traceLength: 2048,
  blowupFactor: 8,
  queryCount: 27,
  grindingBits: 16,
  zeroKnowledge: false,
};

it.each([
  [2048, 'optional', false, true],
  [2048, 'optional', true, true],
  [2048, 'never', false, true],
  [2048, 'never', true, false],
  [2048, 'always', false, false],
  [2048, 'always', true, true],
  [4096, 'optional', false, false],
  [1024, 'optional', false, true],
] as const)(
  'asks an AIR of at least %i rows, zero knowledge %s, for zero knowledge %p: %p',
  (least, offered, asked, fits) => {
    const air = { traceLengthMin: least, zeroKnowledge: offered };
    expect(fitsAir({ ...parameters, zeroKnowledge: asked }, air)).toBe(fits);
  },
);

it.each([
  [2, evaluatedAirDigest],
  [3, airDigest],
] as const)(
  'absorbs header, AIR, context, public inputs and boundary, with their lengths, as one message: version %i',
  (formatVersion, digest) => {
    const versioned = { ...parameters, formatVersion };
    const air = findAir('raw/fibonacci/v1') as Air;
    const publicInputs = air.publicInputsFromJson({ rows: 5, first: '0x1', second: '0x2', result: '0x3' });
    const text = new TextEncoder();
    const domain = text.encode('Zürich');
    const id = text.encode(air.id);
    const elements = air.publicInputElements(publicInputs);
    const u32 = (value: number) => [value & 255, value >> 8, 0, 0];
    const boundary = air
      .boundaryConstraints(publicInputs, parameters.traceLength)
      .flatMap(({ column, row, value }) => [...u32(column), ...u32(row), ...baseToBytes([value])]);
    const expected = new Transcript();
    expected.absorb(
      TranscriptTag.statement,
      Uint8Array.from([
        ...encodeHeader(versioned),
        ...u32(id.length),
        ...id,
        ...digest(air),
        ...u32(domain.length),
        ...domain,
        ...u32(elements.length),
        ...baseToBytes(elements),
        ...(formatVersion === 2 ? [] : [...u32(3), ...boundary]),
      ]),
    );
    const got = startTranscript(air, publicInputs, versioned, 'Zürich');
    expect(got.digest()).toEqual(expected.digest());
    expect(got.drawExtension(2)).toEqual(expected.drawExtension(2));
  },
);

it('takes context domains of up to 256 bytes of well-formed Unicode', () => {
  expect(encodeContextDomain('')).toHaveLength(0);
  expect(encodeContextDomain('x'.repeat(256))).toHaveLength(256);
  expect(encodeContextDomain('€'.repeat(85))).toHaveLength(255);
  for (const domain of ['x'.repeat(257), '€'.repeat(86), 'a\ud800', '\udc00']) {
    expect(() => encodeContextDomain(domain)).toThrow(
      expect.objectContaining({ code: 'invalid-context-domain' }),
    );
  }
});

it('writes nonces little-endian', () => {
  expect([...encodeNonce(0x0102n)]).toEqual([2, 1, 0, 0, 0, 0, 0, 0]);
});

import { createHash } from 'node:crypto';
import { auditedRequest } from '../proof/audited-request.js';
import { auditedAgentRequest } from './agent-request.js';

const answerOf = (operationId: unknown) => ({ disclosure: { operationId } });
const bullion = answerOf('agent.verify-bullion');
const file = Buffer.from('RIFF, or so');
const digest = `0x${createHash('sha256').update(file).digest('hex')}`;

it('puts the digest of a file in the place of its base64, and fills in published defaults', () => {
  const request = { productId: 'krugerrand', massG: 33.93, recordingBase64: file.toString('base64') };
  const audited = { productId: 'krugerrand', massG: 33.93, recordingSha256: digest, spectrumSvg: false };
  expect(auditedAgentRequest(request, bullion)).toEqual(audited);
  expect(auditedRequest(request, bullion)).toEqual(audited);
  // As a saved answer has it, it stays what it is.
  expect(auditedAgentRequest(audited, bullion)).toEqual(audited);
});

it('fills in the defaults that lie within a request too', () => {
  const request = { pdfBase64: file.toString('base64'), requirements: { generalLiability: {} } };
  expect(auditedAgentRequest(request, answerOf('agent.coi-verify'))).toMatchObject({
    pdfSha256: digest,
    requirements: {
      generalLiability: { occurrenceForm: true, aggregatePerProject: false },
      endorsements: [],
      expiryWarningDays: 30,
      signature: true,
    },
  });
  const card = { cardKey: '2001-evidence-7-ada-example', company: 'PSA', grade: 9 };
  expect(auditedAgentRequest(card, answerOf('agent.card-valuation'))).toEqual({
    ...card,
    allowRatio: false,
    distributionSvg: false,
  });
});

it('changes nothing that the schema would not take, for then it was not what was answered', () => {
  const request = { productId: 'krugerrand', massG: -1, more: true };
  expect(auditedAgentRequest(request, bullion)).toEqual(request);
  // What is no base64 has no digest, and is no file.
  expect(auditedAgentRequest({ ...request, recordingBase64: '*' }, bullion)).toEqual(request);
});

it('leaves the requests of other answers alone', () => {
  for (const answer of [{}, answerOf('zk.prove'), answerOf(7), { disclosure: null }, { disclosure: 'x' }])
    expect(auditedAgentRequest({ traceData: 'a' }, answer)).toBeUndefined();
});

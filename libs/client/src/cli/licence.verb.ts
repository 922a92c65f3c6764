import type { Licence, M2mLicence, PublishedKey } from '@svc/protocols';
import { checkLicence, type LicenceVerdict } from '../licence/check-licence.js';
import { connectionOptions, openClient } from './connection.js';
import { ExitCode, UsageError } from './exit-code.js';
import { readFileOrStdin } from './operand.js';
import { publishedKeys } from './published-keys.js';
import { columns } from './terminal.js';
import { textOption, type Verb, type VerbContext } from './verb.js';

const dayOf = (unixSeconds: number) => new Date(unixSeconds * 1_000).toISOString();

function licenceLines(licence: Licence | M2mLicence): (readonly [string, string])[] {
  if ('jti' in licence) return tokenLines(licence);
  return [
    ['licence', `${licence.id}, for ${licence.seats} seats of the tier ${licence.tier}`],
    ['account', licence.acct],
    ['features', licence.features.join(', ') || 'none'],
    ['issued', dayOf(licence.iat)],
    ['expires', dayOf(licence.exp)],
    ['signed by', licence.kid],
  ];
}

/** What a licence between machines grants, for a person. */
export function tokenLines(licence: M2mLicence): (readonly [string, string])[] {
  const { jti, tier, capability, licensee, contract, streamIndex, exp, nodesMax, sublicense, metered } =
    licence;
  const nodes = nodesMax === 1 ? 'one node' : `${nodesMax} nodes`;
  const terms = [nodes, ...(metered ? ['metered'] : []), ...(sublicense ? ['may sub-license'] : [])];
  return [
    ['licence', `${jti}, of the tier ${tier}: ${terms.join(', ')}`],
    ['licensee', licensee],
    ['capability', capability ?? 'none named'],
    ['contract', `${contract}, stream index ${streamIndex}`],
    ['issued', dayOf(licence.iat)],
    ['expires', exp === null ? 'never' : dayOf(exp)],
    ['signed by', licence.kid],
  ].map(([label, value]) => [label, value.replace(/[\u0000-\u001f\u007f-\u009f]/g, '\ufffd')]);
}

function report(check: LicenceVerdict): string[] {
  if (!('licence' in check)) return [`INVALID  ${check.code}`];
  const verdict = check.code === 'VALID' ? 'VALID' : `INVALID  ${check.code}`;
  return columns([
    [verdict, 'by its signature; only its issuer knows whether it was revoked: --remote'],
    ...licenceLines(check.licence),
  ]);
}

async function checkRemotely(context: VerbContext, licenceKey: string): Promise<ExitCode> {
  const client = await openClient(context, 'free');
  const { data } = await client.request('GET', '/sam/verify-key/{licenseKey}', {
    parameters: { licenseKey: licenceKey },
    signal: context.signal,
  });
  const { valid, code, tier, expiresAt, licenseId } = data as Record<string, unknown>;
  const word = valid === true ? 'VALID' : `INVALID  ${String(code)}`;
  const known =
    licenseId === null
      ? ''
      : `: ${String(licenseId)}, tier ${String(tier)}, to ${String(expiresAt ?? 'no end')}`;
  context.terminal.result(data, [`${word}, by the word of ${client.baseUrl}${known}`]);
  return valid === true ? ExitCode.ok : ExitCode.proofInvalid;
}

async function run(context: VerbContext): Promise<ExitCode> {
  const { positionals, values, streams, terminal } = context;
  const [verb, path] = positionals;
  if (verb !== 'check') throw new UsageError(`svc licence knows check, got ${verb.slice(0, 80)}`);
  if (values['remote'] === true && textOption(values, 'keys') !== undefined)
    throw new UsageError('--keys is for a check on this machine: leave out --remote');
  // From a file or stdin: what stands on a command line, other users of the machine can read.
  const licenceKey = Buffer.from(await readFileOrStdin(path, streams))
    .toString('utf8')
    .trim();
  if (values['remote'] === true) return checkRemotely(context, licenceKey);
  const check = await checkLicence({
    licenceKey,
    keys: await publishedKeys<PublishedKey>(context, '/.well-known/svc-license-keys.json'),
  });
  terminal.result({ valid: check.code === 'VALID', ...check }, report(check));
  return check.code === 'VALID' ? ExitCode.ok : ExitCode.proofInvalid;
}

export const licenceVerb: Verb = {
  name: 'licence',
  summary: 'check a licence key or token, on this machine unless told otherwise',
  operands: 'check FILE',
  positionalsMin: 2,
  positionalsMax: 2,
  options: {
    keys: {
      type: 'string',
      placeholder: 'FILE',
      help: 'the published keys, JSON (default: fetched from the gateway)',
    },
    remote: { type: 'boolean', help: 'ask the issuer, who knows what was suspended or revoked' },
    ...connectionOptions,
  },
  notes: [
    'FILE holds the key (sam1.) or the token (m2m1.); - for stdin. Without --remote a revoked key is still VALID: its signature is.',
    '',
    'Examples:',
    '  svc licence check licence.txt --keys svc-license-keys.json',
    '  svc licence check licence.txt --remote',
  ],
  run,
};

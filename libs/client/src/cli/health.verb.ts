import type { HealthReport } from '../api-types.js';
import { connectionOptions, openClient } from './connection.js';
import { ExitCode } from './exit-code.js';
import { columns } from './terminal.js';
import type { Verb, VerbContext } from './verb.js';

function figure(health: HealthReport, name: string, value: number | undefined, unit: string): string {
  const measured = health.measurements?.[name];
  if (typeof value !== 'number') return 'not stated';
  if (measured === undefined || measured.samples > 0) return `${Number(value.toFixed(3))} ${unit}`.trim();
  return `none yet${measured.reason === undefined ? '' : `: ${measured.reason}`}`;
}

function stateOf({ name, online, ready }: NonNullable<HealthReport['services']>[number]): string {
  if (!online) return `${name} (away)`;
  return ready === false ? `${name} (not ready)` : name;
}

function report(health: HealthReport): string[] {
  const services = health.services ?? [];
  return columns([
    ['status', `${health.status}, version ${health.version}`],
    ['services', services.map(stateOf).join(', ')],
    ['rails', health.rails?.join(', ') || 'none can settle now'],
    ['prover', figure(health, 'proverLatencyMs', health.proverLatencyMs, 'ms')],
    ['snn', figure(health, 'snnFramerateFps', health.snnFramerateFps, 'frames per second')],
    ['surprisal', figure(health, 'fepSurprisal', health.fepSurprisal, '')],
    ['measured', health.measuredAt ?? health.timestamp],
  ]);
}

async function run(context: VerbContext): Promise<ExitCode> {
  const client = await openClient(context, 'free');
  const { data } = await client.health({
    signal: context.signal,
    onStage: context.terminal.followCall('asking'),
  });
  context.terminal.endProgress();
  context.terminal.result(data, report(data));
  return data.status === 'OPERATIONAL' ? ExitCode.ok : ExitCode.serviceAway;
}

export const healthVerb: Verb = {
  name: 'health',
  summary: 'show which services and payment rails are up',
  operands: '',
  positionalsMin: 0,
  positionalsMax: 0,
  options: connectionOptions,
  notes: ['Exits with 0 when every service is up, and with 5 when one, or the gateway, is away.'],
  run,
};

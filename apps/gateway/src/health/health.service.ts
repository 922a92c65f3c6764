import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import {
  API_VERSION,
  type HealthReport,
  type Measurement,
  paymentsContract,
  pingProcedure,
  type PingReply,
  SERVICES,
  type ServiceName,
} from '@svc/contracts';
import { BusClient, ProblemError } from '@svc/platform';

/** The services that are asked; the gateway itself is the one who asks. */
export const ASKED_SERVICES: readonly ServiceName[] = SERVICES.filter(service => service !== 'gateway');
export const PING_EVERY_MS = 3_000;
/** Token of how often they are asked, milliseconds. */
export const PING_INTERVAL = Symbol('PING_INTERVAL');
/** A service is online when it answered within this time. */
const ONLINE_WITHIN_MS = 10_000;

/** Which service measures a figure of the report. */
const FIGURES: Readonly<Record<'proverLatencyMs' | 'snnFramerateFps' | 'fepSurprisal', ServiceName>> = {
  proverLatencyMs: 'prover',
  snnFramerateFps: 'snn',
  fepSurprisal: 'snn',
};

/** Knows which services answer, by asking each of them on the bus every few seconds. */
@Injectable()
export class HealthService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly answers = new Map<ServiceName, { reply: PingReply; atMs: number }>();
  private rails: { names: string[]; atMs: number } = { names: [], atMs: 0 };
  private measuredAtMs = 0;
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> | undefined;
  private readonly followers = new Set<() => void>();
  private awayNow: readonly ServiceName[] = [];

  constructor(
    private readonly bus: BusClient,
    @Inject(PING_INTERVAL) private readonly pingEveryMs: number,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.refresh(), this.pingEveryMs);
    this.timer.unref();
    void this.refresh();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.round;
  }

  /**
   * The report of the last round. What would be DEGRADED is asked once more before it is said, so that
   * a service that has just come is not missed; callers at the same time share that round.
   */
  async report(): Promise<HealthReport> {
    const known = this.lastReport();
    if (known.status === 'OPERATIONAL') return known;
    await this.refresh();
    return this.lastReport();
  }

  /** Services that the last round found away, or not ready; none before the first round. */
  away(): readonly ServiceName[] {
    return this.awayNow;
  }

  /** Calls `follower` after each round in which others are {@link away} than before. @returns ends that */
  followAway(follower: () => void): () => void {
    this.followers.add(follower);
    return () => this.followers.delete(follower);
  }

  private lastReport(): HealthReport {
    const nowMs = Date.now();
    const services = ASKED_SERVICES.map(name => this.stateOf(name, nowMs));
    const domainsOnline = services.filter(service => service.online && service.ready).length;
    const measurements = this.figures(nowMs);
    return {
      status: domainsOnline === ASKED_SERVICES.length ? 'OPERATIONAL' : 'DEGRADED',
      version: API_VERSION,
      domainsOnline,
      proverLatencyMs: measurements.proverLatencyMs.value,
      snnFramerateFps: Math.round(measurements.snnFramerateFps.value),
      fepSurprisal: measurements.fepSurprisal.value,
      timestamp: new Date(nowMs).toISOString(),
      services,
      rails: nowMs - this.rails.atMs <= ONLINE_WITHIN_MS ? this.rails.names : [],
      measurements,
      measuredAt: new Date(this.measuredAtMs).toISOString(),
    };
  }

  /** Asks every service once; a round that is under way is joined. */
  refresh(): Promise<void> {
    this.round ??= this.ask().finally(() => (this.round = undefined));
    return this.round;
  }

  private async ask(): Promise<void> {
    await Promise.all([...ASKED_SERVICES.map(service => this.ping(service)), this.askRails()]);
    this.measuredAtMs = Date.now();
    const before = this.awayNow.join();
    this.awayNow = ASKED_SERVICES.filter(name => {
      const { online, ready } = this.stateOf(name, this.measuredAtMs);
      return !online || !ready;
    });
    if (this.awayNow.join() !== before) for (const follower of this.followers) follower();
  }

  private async ping(service: ServiceName): Promise<void> {
    const reply = await this.bus.call(pingProcedure(service), {}).catch(awayOrThrow);
    if (reply) this.answers.set(service, { reply, atMs: Date.now() });
  }

  private async askRails(): Promise<void> {
    const reply = await this.bus.call(paymentsContract.rails, {}, { timeoutMs: 1_000 }).catch(awayOrThrow);
    if (reply) this.rails = { names: reply.rails, atMs: Date.now() };
  }

  private stateOf(name: ServiceName, nowMs: number): HealthReport['services'][number] {
    const answer = this.answers.get(name);
    if (!answer) return { name, online: false };
    return {
      name,
      online: nowMs - answer.atMs <= ONLINE_WITHIN_MS,
      ready: answer.reply.ready,
      instanceId: answer.reply.instanceId,
      lastSeenAt: new Date(answer.atMs).toISOString(),
    };
  }

  /** Everything that services measured and, of the spec's figures, also why there is none. */
  private figures(nowMs: number): Record<keyof typeof FIGURES, Measurement> & Record<string, Measurement> {
    const measured: Record<string, Measurement> = {};
    for (const { reply, atMs } of this.answers.values()) {
      if (nowMs - atMs <= ONLINE_WITHIN_MS) Object.assign(measured, reply.measurements);
    }
    const figure = (name: keyof typeof FIGURES): Measurement => {
      if (measured[name]) return measured[name];
      const service = FIGURES[name];
      const online = this.stateOf(service, nowMs).online;
      const reason = online
        ? `the ${service} service measures none yet`
        : `the ${service} service does not answer`;
      return { value: 0, samples: 0, reason };
    };
    return {
      ...measured,
      proverLatencyMs: figure('proverLatencyMs'),
      snnFramerateFps: figure('snnFramerateFps'),
      fepSurprisal: figure('fepSurprisal'),
    };
  }
}

/** A service that is away is a finding; any other failure is ours. */
function awayOrThrow(error: unknown): undefined {
  if (error instanceof ProblemError) return undefined;
  throw error;
}

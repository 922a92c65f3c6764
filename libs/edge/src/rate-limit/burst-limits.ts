import { type PaymentCredential, type QuotaState, toolsRoutes } from '@svc/contracts';
import { problem, type ProblemError } from '@svc/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { accountKeyLines } from '../account/account-key.js';
import { vouchFor } from '../http/connection-bounds.js';
import type { BodySize } from '../http/json-body.js';
import { addressOf, isOrchestrators } from './caller.js';
import { FREE_WORK_UNITS, FREE_WORK_WINDOW_SECONDS, FreeWork, WorkUnderWay } from './free-work.js';
import type { KnownKeys } from './known-keys.js';
import { Pace, paceOf, paceOfAnswer, WAIT_MS_MAX } from './pace.js';
import { setBurst } from './rate-limit-fields.js';
import { type Taken, Windows } from './windows.js';

/** The window in which requests are counted, seconds. */
export const BURST_WINDOW_SECONDS = 10;

type Tier = 'address' | QuotaState['plan'];

/** Requests of one window: by address for strangers, by account for holders of a key that is known. */
export const BURST_REQUESTS: Readonly<Record<Tier, number>> = {
  address: 3_000,
  demo: 3_000,
  developer: 6_000,
  pro_agent: 12_000,
  enterprise: 60_000,
};
/** Challenges of one window that nobody paid are this part of the requests: each costs a signed invoice. */
export const BURST_CHALLENGE_DIVISOR = 10;

/**
 * Sagas of one window that are to fail on demand, whatever the plan: such a saga is work, rows and at its last step a
 * proof, and nothing is charged for it. Of ten users behind one address each may try it twice.
 */
export const SIMULATED_FAULTS = 25;
/** The window in which they are counted, seconds. */
const SIMULATED_FAULT_WINDOW_SECONDS = 60;
/** Those of a day: their rows stay, since checkpoints name the log of every saga. */
export const SIMULATED_FAULTS_OF_DAY = 100;
const DAY_SECONDS = 86_400;

/** Answers of one window that were given without a charge, whatever the plan: each is work, and evidence that is kept. */
export const UNCHARGED_ANSWERS = 20;
/** The window in which they are counted, seconds. */
const UNCHARGED_WINDOW_SECONDS = 60;

/**
 * Files of one window that a demo's caller has looked at before a payment is claimed, so that nobody pays for one that cannot
 * be read: each may take a second.
 */
export const UNPAID_FILES = 60;
/** The window in which they are counted, seconds. */
export const UNPAID_FILES_WINDOW_SECONDS = 60;

/** Payments of one window of a demo's caller that turn out to be none: each is a row, and a question to who settles it. */
export const BAD_PAYMENTS = 60;
/** The window in which they are counted, seconds. */
const BAD_PAYMENTS_WINDOW_SECONDS = 60;

/**
 * What reading bodies may take in one window of a demo's caller: 64 MiB of text, or a million values. The unit is what a value
 * or 64 bytes take to be read, scanned and digested, some 100 ns.
 */
export const BURST_READING_UNITS = 1_048_576;
const BYTES_PER_UNIT = 64;

/** Probes of one window, of an address: many times what orchestrators ask. */
const BURST_PROBES = 6_000;

/** What a call that sends nothing takes the event loop, milliseconds: as long as others wait for it. */
export const READ_MS = 1;

/** Bytes that one window's answers to GET, HEAD and MCP of a demo's caller may have: documents are the largest, and cost nothing to ask for. */
export const BURST_SENT_BYTES = 67_108_864;

/** Who is counted. */
interface Counted {
  readonly tier: Tier;
  readonly name: string;
}
/** What is counted of a caller, and the policy by which a refusal names its limit. */
interface Allowance {
  readonly what: string;
  readonly policy: string;
  readonly windows: Windows;
}
const FAULT_WORDS = { what: 'simulated faults', policy: 'simulated-faults' };
const UNCHARGED_WORDS = { what: 'answers that were not charged', policy: 'uncharged-answers' };
const WORK_WORDS = { what: 'units of work for nothing (a millisecond each)', policy: 'free-work' };
const BAD_PAYMENT_WORDS = { what: 'payments that were none', policy: 'bad-payments' };
const FILE_WORDS = { what: 'files to look at before a payment', policy: 'unpaid-files' };
const SENT_WORDS = { what: 'bytes of answers to GET, HEAD and MCP', policy: 'sent' };
const PROBE_WORDS = { what: 'probes', policy: 'probes' };
const MCP_PATHS: readonly string[] = [toolsRoutes.mcp.path, toolsRoutes.mcpPayment.path];
/** What costs nothing to ask for: by MCP too, whose resources are documents. */
const isRead = ({ method, routeOptions }: FastifyRequest): boolean =>
  method === 'GET' || method === 'HEAD' || MCP_PATHS.includes(routeOptions.url ?? '');
/** The pace of calls that ask to read, beside that of those that send. */
const readsOf = ({ name }: Counted): string => `reads ${name}`;
const SUBJECT_CHARS = 22;
/** Bytes that an answer to who reads counts as until it is there. */
const SENT_BYTES_FIRST = 262_144;
const COUNTED = Symbol('COUNTED');
const SUBJECT = Symbol('SUBJECT');
const BODY_BYTES = Symbol('BODY_BYTES');
const SENT = Symbol('SENT');
interface WithCounted {
  [COUNTED]?: Counted;
  [SUBJECT]?: string;
  [BODY_BYTES]?: number;
  /** The {@link SENT_BYTES_FIRST} that were counted for its answer: of one that was refused before, none were. */
  [SENT]?: Taken;
}

/** A member that has a file, or the digest of one that was uploaded. */
const FILE_MEMBER = /Base64$|^fileSha256$/;

/** Whether a body, or the task that it gives, brings a file, which is read before money is looked at. */
function holdsFile(body: unknown): boolean {
  const { task } = (body ?? {}) as { readonly task?: unknown };
  return [body, task].some(each => Object.keys(each ?? {}).some(name => FILE_MEMBER.test(name)));
}

/** Bytes of the body of a request that have come. */
export const bodyBytesOf = (request: FastifyRequest): number => (request as WithCounted)[BODY_BYTES] ?? 0;

/**
 * Stops floods: counts what each caller asks of this replica in a short window, and refuses what is beyond. The quota of
 * a plan is another matter: that is counted once for all replicas, by the payments service.
 */
export class BurstLimits {
  private readonly requests: ReadonlyMap<Tier, Windows>;
  private readonly challenges: ReadonlyMap<Tier, Windows>;
  private readonly reading: ReadonlyMap<Tier, Windows>;
  private readonly sent: ReadonlyMap<Tier, Windows>;
  private readonly work: ReadonlyMap<Tier, Windows>;
  private readonly files: ReadonlyMap<Tier, Windows>;
  private readonly badPayments: ReadonlyMap<Tier, Windows>;
  /** Payments that a node or processor could not judge. */
  private readonly untoldPayments: ReadonlyMap<Tier, Windows>;
  private readonly underWay = new WorkUnderWay();
  private readonly pace = new Pace();
  private readonly probes: Windows;
  private readonly simulatedFaults: readonly Allowance[];
  private readonly uncharged: Windows;
  /** Files that were counted, by the bodies that brought them. */
  private readonly filesOf = new WeakMap<object, Taken>();

  /** @param factor of the limits; 0 counts nothing */
  constructor(
    private readonly factor: number,
    private readonly keys: KnownKeys,
  ) {
    this.requests = windowsOf(factor);
    this.challenges = windowsOf(factor / BURST_CHALLENGE_DIVISOR);
    this.reading = windowsOf((factor * BURST_READING_UNITS) / BURST_REQUESTS.address);
    // Of a stricter operator too: one document may be larger than a part of it.
    this.sent = windowsOf((Math.max(1, factor) * BURST_SENT_BYTES) / BURST_REQUESTS.address);
    this.work = windowsOf((factor * FREE_WORK_UNITS) / BURST_REQUESTS.address, FREE_WORK_WINDOW_SECONDS);
    this.files = windowsOf((factor * UNPAID_FILES) / BURST_REQUESTS.address, UNPAID_FILES_WINDOW_SECONDS);
    const payments = (factor * BAD_PAYMENTS) / BURST_REQUESTS.address;
    this.badPayments = windowsOf(payments, BAD_PAYMENTS_WINDOW_SECONDS);
    this.untoldPayments = windowsOf(payments, BAD_PAYMENTS_WINDOW_SECONDS);
    this.probes = windows(Math.max(1, factor) * BURST_PROBES, BURST_WINDOW_SECONDS);
    this.simulatedFaults = [
      { ...FAULT_WORDS, windows: windows(SIMULATED_FAULTS * factor, SIMULATED_FAULT_WINDOW_SECONDS) },
      {
        ...{ ...FAULT_WORDS, policy: 'simulated-faults-of-day' },
        windows: windows(SIMULATED_FAULTS_OF_DAY * factor, DAY_SECONDS),
      },
    ];
    this.uncharged = windows(UNCHARGED_ANSWERS * factor, UNCHARGED_WINDOW_SECONDS);
  }

  /** @throws ProblemError RATE_LIMITED */
  async takeRequest(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (this.factor === 0) return;
    if (isOrchestrators(request)) {
      const counted: Counted = { tier: 'address', name: addressOf(request) };
      take({ ...PROBE_WORDS, windows: this.probes }, counted);
      return this.waitFor(`probes ${counted.name}`, counted, READ_MS);
    }
    const counted = this.countedFor(request);
    (request as WithCounted)[COUNTED] = counted;
    const requests = this.requests.get(counted.tier)!;
    take({ what: 'requests', policy: 'burst', windows: requests }, counted, reply);
    if (!isRead(request)) return;
    const sent = this.sent.get(counted.tier)!;
    check({ ...SENT_WORDS, windows: sent }, counted);
    // Of what is asked for at once each is counted before it is answered.
    (request as WithCounted)[SENT] = sent.take(counted.name, SENT_BYTES_FIRST);
    await this.waitFor(readsOf(counted), counted, READ_MS);
  }

  /** Counts what an answer sends to whoever reads; the next one is refused where that was too much. */
  noteSent(request: FastifyRequest, bytes: number): void {
    const { [COUNTED]: counted, [SENT]: first } = request as WithCounted;
    if (!counted || !first) return;
    this.pace.add(readsOf(counted), this.paced(counted, paceOfAnswer(bytes)));
    if (bytes < SENT_BYTES_FIRST) first.giveBack(SENT_BYTES_FIRST - bytes);
    else this.sent.get(counted.tier)!.take(counted.name, bytes - SENT_BYTES_FIRST);
  }

  /**
   * For whom a call is worked on, as queues tell callers apart: an account whose key is known, else an address, in the letters of a
   * header. It is the same at every replica, and no secret.
   */
  subjectOf(request: FastifyRequest): string {
    const known = request as WithCounted;
    return (known[SUBJECT] ??= hash(
      'sha256',
      (known[COUNTED] ?? this.countedFor(request)).name,
      'base64url',
    ).slice(0, SUBJECT_CHARS));
  }

  /** Gives a challenge back that was paid: which one it was is not known. */
  async givePaidChallengeBack(request: FastifyRequest): Promise<void> {
    const counted = (request as WithCounted)[COUNTED];
    if (counted) this.challenges.get(counted.tier)!.giveOneBack(counted.name);
  }

  /** @throws ProblemError RATE_LIMITED */
  async takeChallenge(request: FastifyRequest): Promise<void> {
    const counted = (request as WithCounted)[COUNTED];
    if (!counted) return;
    const challenges = this.challenges.get(counted.tier)!;
    take({ what: 'challenges', policy: 'burst', windows: challenges }, counted);
  }

  /**
   * Takes what reading a body costs, before it is read; of no bytes and values, it refuses whoever has nothing left.
   * @throws ProblemError RATE_LIMITED
   */
  async takeBody(request: FastifyRequest, { bytes, values }: BodySize): Promise<void> {
    (request as WithCounted)[BODY_BYTES] = bodyBytesOf(request) + bytes;
    const counted = (request as WithCounted)[COUNTED];
    if (!counted) return;
    const units = Math.ceil(bytes / BYTES_PER_UNIT) + values;
    const reading = this.reading.get(counted.tier)!;
    take(
      { what: 'units of body (64 bytes or a value each)', policy: 'bodies', windows: reading },
      counted,
      undefined,
      units,
    );
  }

  /**
   * Waits until it is the turn of a call that sends so many bytes.
   * @throws ProblemError RATE_LIMITED where that would take too long
   */
  async waitTurn(request: FastifyRequest, bytes: number): Promise<void> {
    const counted = (request as WithCounted)[COUNTED];
    if (counted) await this.waitFor(counted.name, counted, paceOf(bytes));
  }

  /** Waits for what a caller has asked for before. @throws ProblemError RATE_LIMITED where that would take too long */
  private async waitFor(what: string, counted: Counted, takesMs: number): Promise<void> {
    const waitMs = this.pace.take(what, this.paced(counted, takesMs));
    if (waitMs === undefined) {
      const seconds = WAIT_MS_MAX / 1_000;
      const detail = `Calls ${whoseOf(counted)} would wait more than ${seconds} s for their turn; nothing was taken for this one`;
      throw problem('RATE_LIMITED', detail, { retryAfterSeconds: seconds });
    }
    if (waitMs > 0) await delay(waitMs);
  }

  /** What counts of so many milliseconds. A stricter operator wants fewer calls, and not slower ones. */
  private paced(counted: Counted, ms: number): number {
    return ms / Math.max(1, this.timesOf(counted));
  }

  /** How many times what a demo's caller has. */
  private timesOf({ tier }: Counted): number {
    return (this.factor * BURST_REQUESTS[tier]) / BURST_REQUESTS.address;
  }

  /**
   * Begins work that nobody pays for, which whoever begins it must end.
   * @throws ProblemError RATE_LIMITED where as many such calls of the caller are worked on, or it has had as much work, as may be
   */
  async beginWork(request: FastifyRequest): Promise<FreeWork> {
    const counted = (request as WithCounted)[COUNTED];
    if (!counted) return new FreeWork();
    const work = { ...WORK_WORDS, windows: this.work.get(counted.tier)! };
    check(work, counted);
    return this.underWay.begin({
      name: counted.name,
      whose: whoseOf(counted),
      times: this.timesOf(counted),
      count: async units => takeUnits(work, counted, units),
    });
  }

  /** Does work of so many units that nobody pays for. @throws ProblemError as {@link beginWork}, and as its `take` */
  async whileFree<T>(request: FastifyRequest, units: number, run: () => Promise<T>): Promise<T> {
    const work = await this.beginWork(request);
    try {
      await work.take(units);
      return await run();
    } finally {
      work.end();
    }
  }

  /** Counts the file of a body that is looked at before anybody is asked to pay. @throws ProblemError RATE_LIMITED */
  async takeFile(request: FastifyRequest, body: unknown): Promise<void> {
    const counted = (request as WithCounted)[COUNTED];
    if (!counted || !holdsFile(body)) return;
    const taken = take({ ...FILE_WORDS, windows: this.files.get(counted.tier)! }, counted);
    this.filesOf.set(body as object, taken);
  }

  /** Gives a file back whose payment was good. */
  async giveFileBack(body: unknown): Promise<void> {
    this.filesOf.get(body as object)?.giveBack();
  }

  /**
   * Before a payment is looked at: refuses a caller that has brought too many that were none. L402 is not refused for
   * payments that the node or processor of another rail could not judge.
   * @throws ProblemError RATE_LIMITED
   */
  async checkBadPayments(request: FastifyRequest, scheme: PaymentCredential['scheme']): Promise<void> {
    const counted = (request as WithCounted)[COUNTED];
    if (!counted) return;
    const windows = [this.badPayments, ...(scheme === 'L402' ? [] : [this.untoldPayments])];
    for (const each of windows) check({ ...BAD_PAYMENT_WORDS, windows: each.get(counted.tier)! }, counted);
  }

  /** Whether the caller has brought a payment lately that was none. */
  async hasBroughtBadPayment(request: FastifyRequest): Promise<boolean> {
    const counted = (request as WithCounted)[COUNTED];
    return counted !== undefined && this.badPayments.get(counted.tier)!.countedOf(counted.name) > 0;
  }

  /** Counts a payment that was none. */
  async countBadPayment(request: FastifyRequest): Promise<void> {
    const counted = (request as WithCounted)[COUNTED];
    if (counted) this.badPayments.get(counted.tier)!.take(counted.name);
  }

  /** Counts a payment that a node or processor could not judge, and took nothing for. */
  async countUntoldPayment(request: FastifyRequest): Promise<void> {
    const counted = (request as WithCounted)[COUNTED];
    if (counted) this.untoldPayments.get(counted.tier)!.take(counted.name);
  }

  /** @throws ProblemError RATE_LIMITED */
  async takeSimulatedFault(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    for (const faults of this.simulatedFaults)
      for (const counted of this.countedTwice(request)) take(faults, counted, reply);
  }

  /**
   * Refuses whoever has had too many answers lately that were not charged, before the next one is paid for.
   * @throws ProblemError RATE_LIMITED
   */
  async checkUncharged(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    for (const counted of this.countedTwice(request))
      check({ ...UNCHARGED_WORDS, windows: this.uncharged }, counted, reply);
  }

  /** Counts an answer that was not charged. */
  async takeUncharged(request: FastifyRequest): Promise<void> {
    // What is beyond the limit is counted too: answers of calls that were under way at once.
    for (const { name } of this.countedTwice(request)) this.uncharged.take(name);
  }

  /**
   * Counted by the address, whatever key comes along, for one caller has as many keys as it likes; and by the account of a
   * known key as well, from wherever it is shown.
   */
  private countedTwice(request: FastifyRequest): readonly Counted[] {
    const counted = (request as WithCounted)[COUNTED];
    if (!counted) return [];
    const byAddress: Counted = { tier: 'address', name: addressOf(request) };
    return counted.tier === 'address' ? [byAddress] : [byAddress, counted];
  }

  /**
   * A key that nobody has vouched for counts by the address it comes from: anybody can make such keys up. So does one that came of
   * a payment's rest, of which anybody can have many.
   */
  private countedFor(request: FastifyRequest): Counted {
    const [key, another] = accountKeyLines(request.raw);
    const holder =
      key !== undefined && another === undefined ? this.keys.holderOf(key, addressOf(request)) : undefined;
    if (holder && !holder.isDerived) {
      vouchFor(request.raw.socket);
      return { tier: holder.plan, name: holder.accountId };
    }
    return { tier: 'address', name: addressOf(request) };
  }
}

/** Refuses whoever has used up a window, and counts nothing. @throws ProblemError RATE_LIMITED */
function check(allowance: Allowance, counted: Counted, reply?: FastifyReply): void {
  const { windows } = allowance;
  if (windows.countedOf(counted.name) >= windows.points) throw refusal(allowance, counted, { reply });
}

/** Counts work; what is refused is not counted. @throws ProblemError RATE_LIMITED */
function takeUnits(allowance: Allowance, counted: Counted, units: number): void {
  const { windows } = allowance;
  const points = Math.min(Math.ceil(units), windows.points);
  const got = windows.countedOf(counted.name) + points;
  if (got > windows.points) throw refusal(allowance, counted, { got });
  windows.take(counted.name, points);
}

/** Counts, what is refused too. @throws ProblemError RATE_LIMITED */
function take(allowance: Allowance, counted: Counted, reply?: FastifyReply, points = 1): Taken {
  const { windows } = allowance;
  const taken = windows.take(counted.name, points);
  if (taken.counted > windows.points) throw refusal(allowance, counted, { reply });
  return taken;
}

function refusal(
  { what, policy, windows }: Allowance,
  counted: Counted,
  { got = windows.countedOf(counted.name), reply }: { got?: number; reply?: FastifyReply },
): ProblemError {
  const { points: quota, seconds: windowSeconds } = windows;
  const retryAfterSeconds = Math.max(1, Math.ceil(windows.msLeftOf(counted.name) / 1_000));
  if (reply) setBurst(reply, { policy, quota, windowSeconds, resetSeconds: retryAfterSeconds });
  const detail = `More than ${quota} ${what} in ${windowSeconds} s ${whoseOf(counted)}; nothing was taken for this one`;
  const errors = [{ path: policy, message: `${what} in ${windowSeconds} s`, bound: quota, got }];
  return problem('RATE_LIMITED', detail, { errors, retryAfterSeconds });
}

const whoseOf = ({ tier }: Counted) => (tier === 'address' ? 'from this address' : 'of this account');

function windowsOf(factor: number, duration = BURST_WINDOW_SECONDS): ReadonlyMap<Tier, Windows> {
  const tiers = Object.entries(BURST_REQUESTS) as [Tier, number][];
  return new Map(tiers.map(([tier, requests]) => [tier, windows(requests * factor, duration)] as const));
}

const windows = (points: number, seconds: number): Windows =>
  new Windows(Math.max(1, Math.ceil(points)), seconds);

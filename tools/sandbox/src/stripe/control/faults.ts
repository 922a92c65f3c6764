import { EventEmitter } from 'node:events';

/** What goes wrong with the next calls that a rule matches. */
export interface FaultRule {
  method?: 'GET' | 'POST' | 'DELETE';
  /** A path; `*` stands for any characters. All paths without it. */
  path?: string;
  /** How many calls; 1 without it. */
  times?: number;
  /** The call takes effect first, and its answer is kept for its idempotency key. */
  after?: boolean;
  /** The call waits that long before anything else. */
  delayMs?: number;
  /** An error of this status in place of the answer. */
  status?: number;
  /** The code of that error, such as `lock_timeout`. */
  code?: string;
  /** The connection is cut in place of the answer. */
  drop?: boolean;
  /** No answer at all, until the caller gives up. */
  hang?: boolean;
}

const RULES_MAX = 100;
const DELAY_MS_MAX = 600_000;

/**
 * Checks a rule that came from outside.
 *
 * @throws Error naming what is wrong with it
 */
export function readFaultRule(given: unknown): FaultRule {
  if (given === null || typeof given !== 'object') throw new Error('a fault is an object');
  const rule = given as Record<string, unknown>;
  const checks: Record<string, (value: unknown) => boolean> = {
    method: value => value === 'GET' || value === 'POST' || value === 'DELETE',
    path: value => typeof value === 'string' && value.length <= 500,
    times: value => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 1_000_000,
    after: value => typeof value === 'boolean',
    delayMs: value => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= DELAY_MS_MAX,
    status: value => Number.isInteger(value) && Number(value) >= 400 && Number(value) <= 599,
    code: value => typeof value === 'string' && /^[a-z_]{1,64}$/.test(value),
    drop: value => typeof value === 'boolean',
    hang: value => typeof value === 'boolean',
  };
  for (const [name, value] of Object.entries(rule)) {
    if (!Object.hasOwn(checks, name)) throw new Error(`a fault has no member ${name}`);
    if (value !== undefined && !checks[name](value)) throw new Error(`${name} of a fault is out of range`);
  }
  const { status, drop, hang, delayMs } = rule;
  const endings = [status !== undefined, drop === true, hang === true].filter(Boolean).length;
  if (rule.code !== undefined && status === undefined) throw new Error('a code needs a status');
  if (endings > 1) throw new Error('a fault has one of status, drop and hang');
  if (endings === 0 && delayMs === undefined) throw new Error('a fault has status, drop, hang or delayMs');
  return rule as FaultRule;
}

/** The rules that wait for their calls, in the order in which they were made. */
export class Faults {
  private rules: (FaultRule & { left: number })[] = [];
  private readonly changes = new EventEmitter();

  /** @throws Error for a rule that is none, or when 100 wait already */
  add(given: FaultRule): void {
    const rule = readFaultRule(given);
    if (this.rules.length >= RULES_MAX) throw new Error(`${RULES_MAX} faults are set already`);
    this.rules.push({ ...rule, left: rule.times ?? 1 });
  }

  /** Forgets all rules, and lets those calls go that hang or wait. */
  clear(): void {
    this.rules = [];
    this.changes.emit('cleared');
  }

  list(): FaultRule[] {
    return this.rules.map(({ left, ...rule }) => ({ ...rule, times: left }));
  }

  /** The rule for this call, used up by one. */
  take(method: string, path: string): FaultRule | undefined {
    const rule = this.rules.find(candidate => matches(candidate, method, path));
    if (rule && --rule.left === 0) this.rules = this.rules.filter(({ left }) => left > 0);
    return rule;
  }

  /** Waits that long, or until the rules are cleared, or the signal says that nobody waits any more. */
  async wait(delayMs: number, gone: AbortSignal): Promise<void> {
    if (gone.aborted) return;
    await new Promise<void>(resolve => {
      const timer = setTimeout(end, delayMs);
      const { changes } = this;
      function end() {
        clearTimeout(timer);
        gone.removeEventListener('abort', end);
        changes.off('cleared', end);
        resolve();
      }
      gone.addEventListener('abort', end);
      changes.on('cleared', end);
    });
  }
}

function matches({ method, path }: FaultRule, calledMethod: string, calledPath: string): boolean {
  if (method !== undefined && method !== calledMethod) return false;
  if (path === undefined) return true;
  const pattern = path
    .split('*')
    .map(part => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  return new RegExp(`^${pattern}$`).test(calledPath);
}

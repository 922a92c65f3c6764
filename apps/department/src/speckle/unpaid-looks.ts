import { Injectable } from '@nestjs/common';
import { currentTurn, problem } from '@svc/platform';

/** Milliseconds of a core that decoding pictures of one caller may take within {@link WINDOW_MS} before anything is paid for them. */
export const UNPAID_LOOK_UNITS = 30_000;
const WINDOW_MS = 60_000;
const UNITS_PER_MS = UNPAID_LOOK_UNITS / WINDOW_MS;
/** Callers that are remembered; beyond that those who have used nothing lately are forgotten. */
const CALLERS_MAX = 4_096;

interface Allowance {
  left: number;
  atMs: number;
}

/**
 * Whether a picture is decoded before its call is paid for, so that nobody pays for one that cannot be read. That takes a thread as
 * long as the answer itself, so it is bounded by what the pictures say that they take, for each caller.
 *
 * A call within a quota has it decoded once, by its answer. Whoever brings no payment, and cannot be told from others, has it decoded as
 * long as the share of all such callers lasts; after that its header alone is looked at, and a payment for what cannot be read goes
 * back.
 */
@Injectable()
export class UnpaidLooks {
  private readonly callers = new Map<string, Allowance>();

  /** @throws ProblemError RATE_LIMITED for a caller with a payment that has had so much decoded */
  may(units: number): boolean {
    const turn = currentTurn();
    if (turn?.standing === 'later') return false;
    const allowance = this.allowanceOf(turn?.subject ?? '');
    if (allowance.left >= units) {
      allowance.left -= units;
      return true;
    }
    if (!turn) return false;
    const got = Math.ceil(UNPAID_LOOK_UNITS - allowance.left + units);
    const message = `pictures that take more than ${UNPAID_LOOK_UNITS} ms in ${WINDOW_MS / 1_000} s are not read before their payment`;
    throw problem('RATE_LIMITED', `imageBase64: ${message}`, {
      errors: [{ path: 'imageBase64', message, bound: UNPAID_LOOK_UNITS, got }],
      retryAfterSeconds: Math.max(1, Math.ceil((units - allowance.left) / UNITS_PER_MS / 1_000)),
    });
  }

  /** A picture was paid for after all. */
  giveBack(units: number): void {
    const turn = currentTurn();
    if (turn?.standing !== 'settled') return;
    const allowance = this.callers.get(turn.subject);
    if (allowance) allowance.left = Math.min(UNPAID_LOOK_UNITS, allowance.left + units);
  }

  private allowanceOf(caller: string): Allowance {
    if (this.callers.size >= CALLERS_MAX) {
      for (const [name, allowance] of this.callers)
        if (refilled(allowance).left >= UNPAID_LOOK_UNITS) this.callers.delete(name);
    }
    const allowance = this.callers.get(caller) ?? { left: UNPAID_LOOK_UNITS, atMs: performance.now() };
    this.callers.set(caller, allowance);
    return refilled(allowance);
  }
}

function refilled(allowance: Allowance): Allowance {
  const nowMs = performance.now();
  allowance.left = Math.min(UNPAID_LOOK_UNITS, allowance.left + (nowMs - allowance.atMs) * UNITS_PER_MS);
  allowance.atMs = nowMs;
  return allowance;
}

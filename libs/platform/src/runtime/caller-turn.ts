import { NOBODYS_TURN, type Turn } from '@svc/kernels/node';
import { callScope, runInScope } from './call-scope.js';

/**
 * How a call stands with what it costs.
 *
 * - `claiming`: it brings a payment, which is taken once there is room for its work. Nothing is done for it yet.
 * - `settled`: it is paid for: its work goes before other work, and is refused no more.
 * - `later`: within a quota, for nothing, or asynchronous: it goes when its turn comes among such work.
 */
export type Standing = 'claiming' | 'settled' | 'later';

/** For whom work is done, as it goes along with every call from service to service. */
export interface CallerTurn {
  /** Opaque: of an account, or of an address. */
  readonly subject: string;
  readonly standing: Standing;
}

const TEXT = /^(claiming|settled|later) ([A-Za-z0-9_-]{1,64})$/;

/** Runs `fn` for a caller, or for nobody in particular. */
export const runInTurn = <T>(turn: CallerTurn | undefined, fn: () => T): T =>
  runInScope({ ...callScope(), turn }, fn);

/** For whom the running work is done; undefined where that is nobody in particular. */
export const currentTurn = (): CallerTurn | undefined => callScope()?.turn;

/** Whether the running work is paid for, so that it is refused no more for want of room. */
export const isSettledCall = (): boolean => currentTurn()?.standing === 'settled';

/** The {@link currentTurn} as queues take it. What is done for nobody in particular is our own, and somebody waits for it. */
export function queueTurn(): Turn {
  const turn = currentTurn();
  if (!turn) return NOBODYS_TURN;
  const { subject, standing } = turn;
  return standing === 'later' ? { subject, isFirst: false } : { subject, isFirst: true, payment: standing };
}

/** As it crosses the bus. */
export const turnText = ({ standing, subject }: CallerTurn): string => `${standing} ${subject}`;

/** What has crossed the bus; undefined for anything else. */
export function readTurn(text: string | undefined): CallerTurn | undefined {
  const match = text === undefined ? undefined : TEXT.exec(text);
  return match ? { standing: match[1] as Standing, subject: match[2] } : undefined;
}

import { NOBODYS_TURN, type Turn } from '@svc/kernels/node';
import { callScope, type CallerTurn, runInScope, type Standing } from './call-scope.js';

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

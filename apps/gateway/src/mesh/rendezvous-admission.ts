import { meshContract, type RendezvousRequest } from '@svc/contracts';
import { addressOf, type Admission, mayHaveBeenAnswered } from '@svc/edge';

/** Whether a rendezvous can be tried now, or may be the retry of one that was answered. */
export const admitRendezvous: Admission = async (bus, body, http) => {
  const asked = { request: body as RendezvousRequest, caller: { address: addressOf(http) } };
  try {
    return await bus.call(meshContract.admitRendezvous, asked);
  } catch (error) {
    if (mayHaveBeenAnswered(http, error)) return undefined;
    throw error;
  }
};

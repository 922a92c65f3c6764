import type { FieldFault } from '@svc/contracts';

/** What no canonical JSON can hold (halves of surrogate pairs) and no Postgres text (NUL). */
const UNSTORABLE = /[\u0000\p{Cs}]/u;

/** The members of an input whose text can be neither stored nor put into canonical JSON. */
export const storableTextFaults = (members: Readonly<Record<string, unknown>>): FieldFault[] =>
  Object.entries(members)
    .filter(([, value]) => typeof value === 'string' && UNSTORABLE.test(value))
    .map(([path]) => ({ path, message: 'must be Unicode text without NUL' }));

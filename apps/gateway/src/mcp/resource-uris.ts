/** What the addresses of records begin with; their ids follow. */
export const PROOF_URI = 'svc://proofs/';
export const SAGA_URI = 'svc://sagas/';
export const ANSWER_URI = 'svc://answers/';

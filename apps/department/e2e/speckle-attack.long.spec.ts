// commit: ./speckle.e2e.spec.ts
import { describeToldVerdict } from './speckle-attack.cases.js';

const TRIES = 5_000;
const PARTS = 10;

describeToldVerdict(Array.from({ length: PARTS }, (_, part) => (TRIES * (part + 1)) / PARTS));

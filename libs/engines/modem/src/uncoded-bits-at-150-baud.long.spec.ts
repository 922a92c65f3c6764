// commit: ./false-packets.spec.ts
import { describeUncodedBits } from './false-packets.cases.js';

describeUncodedBits([150]);

// commit: ./false-packets.spec.ts
import { describeFalsePackets } from './false-packets.cases.js';

describeFalsePackets();

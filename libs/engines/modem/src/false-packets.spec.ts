import { describeFalsePackets, describeUncodedBits } from './false-packets.cases.js';

describeFalsePackets();
describeUncodedBits([150, 300]);

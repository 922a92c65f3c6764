import { describeCln } from './cln.cases.js';
import { describeLnd } from './lnd.cases.js';

describeCln();
describeLnd();

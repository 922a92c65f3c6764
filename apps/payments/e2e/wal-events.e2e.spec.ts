import { describeEventReaders } from './event-readers.cases.js';
import { describeTelemetry } from './telemetry.cases.js';
import { describeWalEvents } from './wal-events.cases.js';
import { describeWalService } from './wal-service.cases.js';

describeWalEvents();
describeWalService();
describeTelemetry();
describeEventReaders();

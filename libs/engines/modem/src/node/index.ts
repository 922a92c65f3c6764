export { ThreadTasksError } from '@svc/kernels/node';
export { PacketThreads } from './packet-threads.js';
export { type HeardRecording, type MadePacket, type ReadRecording } from './packet-results.js';

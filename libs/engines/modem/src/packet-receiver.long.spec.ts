// commit: ./packet-receiver.spec.ts
import './packet-receiver.spec.js';

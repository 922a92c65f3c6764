// commit: ./false-packets.spec.ts
import './false-packets.spec.js';

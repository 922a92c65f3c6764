// commit: ./channel-conditions.spec.ts
import './channel-conditions.spec.js';

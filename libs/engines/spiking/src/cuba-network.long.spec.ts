// commit: ./cuba-network.spec.ts
import './cuba-network.spec.js';

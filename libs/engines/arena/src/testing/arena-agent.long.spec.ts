// commit: ./arena-agent.spec.ts
import './arena-agent.spec.js';

// commit: ./peer-channel.spec.ts
import './peer-channel.spec.js';

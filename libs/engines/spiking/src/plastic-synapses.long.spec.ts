// commit: ./plastic-synapses.spec.ts
import './plastic-synapses.spec.js';

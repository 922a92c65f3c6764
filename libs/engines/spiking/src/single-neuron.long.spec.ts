// commit: ./single-neuron.spec.ts
import './single-neuron.spec.js';

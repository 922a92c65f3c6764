import { describeJobSweep } from './job-sweep.cases.js';
import { describeProver } from './prover.cases.js';

describeJobSweep();
describeProver();

// commit: ./webgpu-spiking.spec.ts, but for any network, repeated runs and lost devices: each takes seconds where no GPU is
import { describeWebGpu, PATHS } from './webgpu-spiking.cases.js';

describeWebGpu(PATHS, true);

import { describeWebGpu } from './webgpu-spiking.cases.js';

describeWebGpu(['one sector', 'many pairs, nearest neighbours']);

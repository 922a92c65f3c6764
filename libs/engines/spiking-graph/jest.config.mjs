import { base } from '../../../jest.base.mjs';
export default { ...base, displayName: '@svc/spiking-graph', rootDir: import.meta.dirname };

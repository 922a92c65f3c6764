import { base } from '../../../jest.base.mjs';
export default { ...base, displayName: '@svc/spiking', rootDir: import.meta.dirname };

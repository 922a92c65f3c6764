import { base } from '../../jest.base.mjs';
export default { ...base, displayName: '@svc/snn', rootDir: import.meta.dirname };

import { base } from '../../jest.base.mjs';
export default { ...base, displayName: '@svc/prover', rootDir: import.meta.dirname };

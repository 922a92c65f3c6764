import { base } from '../../../jest.base.mjs';
export default { ...base, displayName: '@svc/stark-prover', rootDir: import.meta.dirname };

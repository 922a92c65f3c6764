import { base } from '../../../jest.base.mjs';
export default { ...base, displayName: '@svc/stark-verifier', rootDir: import.meta.dirname };

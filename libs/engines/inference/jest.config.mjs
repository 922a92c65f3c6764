import { base } from '../../../jest.base.mjs';
export default { ...base, displayName: '@svc/inference', rootDir: import.meta.dirname };

import { base } from '../../../jest.base.mjs';
export default { ...base, displayName: '@svc/stark-air', rootDir: import.meta.dirname };

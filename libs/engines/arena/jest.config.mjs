import { base } from '../../../jest.base.mjs';
export default { ...base, displayName: '@svc/arena', rootDir: import.meta.dirname };

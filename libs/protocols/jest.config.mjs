import { base } from '../../jest.base.mjs';
export default { ...base, displayName: '@svc/protocols', rootDir: import.meta.dirname };

import { base } from '../../../jest.base.mjs';
export default { ...base, displayName: '@svc/certificates', rootDir: import.meta.dirname };

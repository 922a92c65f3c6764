import { base } from '../../../jest.base.mjs';
export default { ...base, displayName: '@svc/modem', rootDir: import.meta.dirname };

export { certificateFetch } from './certificate-fetch.js';
export { WalDatabase, WalDatabaseError } from './wal-database.js';

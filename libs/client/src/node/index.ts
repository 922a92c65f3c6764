export { certificateFetch } from './certificate-fetch.js';

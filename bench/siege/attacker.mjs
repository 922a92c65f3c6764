import { SHAPES } from './shapes.mjs';

/** The first of the addresses of the loopback that are nobody else's: limits by address meet one attacker alone. */
const FIRST_ADDRESS = 66;

const [setting] = await new Promise(resolve => process.once('message', (...got) => resolve(got)));
const counts = {};
let isOver = false;
process.once('message', () => {
  isOver = true;
  process.send(counts);
});
const count = status => (counts[status] = (counts[status] ?? 0) + 1);
const target = new URL(setting.address);
const place = FIRST_ADDRESS + Object.keys(SHAPES).indexOf(setting.name);
const localAddress = process.platform === 'linux' ? `127.0.0.${place}` : undefined;
const attack = SHAPES[setting.name]({
  ...{ host: target.hostname, port: Number(target.port), localAddress },
  ...{ proof: setting.proof, count, isOver: () => isOver },
});
process.send('under way');
await Promise.all(Array.from({ length: setting.connections }, (_, i) => attack(i)));

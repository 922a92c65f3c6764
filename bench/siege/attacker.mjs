import { SHAPES } from './shapes.mjs';

/** An address of the loopback that is nobody else's: limits by address meet the attacker alone. */
const FROM = process.platform === 'linux' ? '127.0.0.66' : undefined;

const [setting] = await new Promise(resolve => process.once('message', (...got) => resolve(got)));
const counts = {};
let isOver = false;
process.once('message', () => {
  isOver = true;
  process.send(counts);
});
const count = status => (counts[status] = (counts[status] ?? 0) + 1);
const target = new URL(setting.address);
const attack = SHAPES[setting.name]({
  ...{ host: target.hostname, port: Number(target.port), localAddress: FROM },
  ...{ proof: setting.proof, count, isOver: () => isOver },
});
process.send('under way');
await Promise.all(Array.from({ length: setting.connections }, (_, i) => attack(i)));

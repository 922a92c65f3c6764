import Fastify from 'fastify';

/**
 * The floor: one Fastify route with a JSON answer of a response schema, and nothing of ours. It
 * listens on PORT until it is told to stop.
 */
const port = Number(process.env.PORT);
if (!Number.isInteger(port) || port < 1) throw new RangeError(`PORT is "${process.env.PORT}"`);

const app = Fastify();
const schema = {
  response: { 200: { type: 'object', properties: { status: { type: 'string' } } } },
};
app.get('/livez', { schema }, async () => ({ status: 'ok' }));
process.on('SIGTERM', () => app.close());
await app.listen({ port, host: '127.0.0.1' });

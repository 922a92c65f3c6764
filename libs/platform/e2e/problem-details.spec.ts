import { BadRequestException, Controller, Get, Module, NotFoundException, Post, Body } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PROBLEM_CODES, ProblemDetails, PROBLEMS } from '@svc/contracts';
import fc from 'fast-check';
import { Writable } from 'node:stream';
import { z } from 'zod';
import { createLogger } from '../src/observability/logger.js';
import {
  FAULTS_MAX,
  faultsOf,
  parseOrProblem,
  type SchemaIssue,
} from '../src/problem-details/field-faults.js';
import { asProblem, HttpProblemFilter, problemDetails } from '../src/problem-details/http-problem.filter.js';
import { problem, ProblemError, problemOf } from '../src/problem-details/problem-error.js';

const schema = z.strictObject({
  degree: z.int().min(8).max(64).default(8),
  rail: z.enum(['l402', 'mpp']).optional(),
  items: z.array(z.object({ price: z.number().multipleOf(5) })).optional(),
  email: z.email().optional(),
  either: z.union([z.string(), z.array(z.union([z.string().max(3), z.number()])).max(3)]).optional(),
  alike: z.union([z.array(z.string()), z.array(z.number()).max(1)]).optional(),
});

/** What is asked for is told by which members are there. */
const forms = z.object({
  asked: z.union([
    z.strictObject({ id: z.string(), count: z.int().max(9), tags: z.array(z.string()).max(2).optional() }),
    z.strictObject({ metal: z.enum(['gold', 'silver']), size: z.number(), count: z.int().max(9) }),
    z.strictObject({ key: z.string(), count: z.int().max(9) }),
  ]),
});

const faultsFor = (value: unknown) => {
  try {
    parseOrProblem(schema, value);
    return undefined;
  } catch (error) {
    return (error as ProblemError).payload.errors;
  }
};

describe('parseOrProblem', () => {
  it('returns the parsed value, defaults filled in', () => {
    expect(parseOrProblem(schema, {})).toEqual({ degree: 8 });
  });

  it.each([
    ['a number below its bound', { degree: 3 }, { path: 'degree', bound: 8, got: 3 }],
    ['a number above its bound', { degree: 65 }, { path: 'degree', bound: 64, got: 65 }],
    ['a wrong type', { degree: 'x' }, { path: 'degree', bound: 'number', got: 'x' }],
    ['a value outside its enum', { rail: 'cash' }, { path: 'rail', bound: ['l402', 'mpp'], got: 'cash' }],
    ['a nested value', { items: [{ price: 5 }, { price: 7 }] }, { path: 'items[1].price', bound: 5, got: 7 }],
    ['a body that is no object', [1, 2], { path: '', bound: 'object', got: 'array of 2' }],
    [
      'the alternative of a union that takes its type',
      { either: [1, 2, 3, 4] },
      { path: 'either', bound: 3, got: 'array of 4' },
    ],
    [
      'an alternative within an alternative',
      { either: ['a', 'abcd'] },
      { path: 'either[1]', bound: 3, got: 'abcd' },
    ],
    [
      'a type that no alternative takes',
      { either: null },
      { path: 'either', bound: ['string', 'array'], got: null },
    ],
    [
      'a type that none takes within an alternative',
      { either: [1, true] },
      { path: 'either[1]', bound: ['string', 'number'], got: true },
    ],
    [
      'a union of which two alternatives take its type',
      { alike: [true, true] },
      { path: 'alike', got: 'array of 2' },
    ],
    ['NaN', { degree: Number.NaN }, { path: 'degree', got: 'NaN' }],
  ])('names field, bound and value of %s', (_name, value, fault) => {
    expect(faultsFor(value)).toEqual([expect.objectContaining({ ...fault, message: expect.any(String) })]);
  });

  it.each([
    ['a list too long', { id: 'a', count: 1, tags: ['', '', ''] }, [['asked.tags', 2]]],
    ['a value outside its enum', { metal: 'tin', size: 1, count: 1 }, [['asked.metal', ['gold', 'silver']]]],
    [
      'two bounds',
      { metal: 'tin', size: 1, count: 10 },
      [
        ['asked.metal', ['gold', 'silver']],
        ['asked.count', 9],
      ],
    ],
    ['a member that is missing', { metal: 'gold', count: 1 }, [['asked.size', 'number']]],
    ['a member of another alternative', { id: 'a', count: 1, size: 1 }, [['asked.size', undefined]]],
    [
      'a member that tells which is meant',
      { count: 10 },
      [
        ['asked.id', ['id', 'key']],
        ['asked.count', 9],
      ],
    ],
    [
      'nothing at all',
      {},
      [
        ['asked.id', ['id', 'key']],
        ['asked.count', 'number'],
      ],
    ],
    ['two alternatives in one', { id: 'a', key: 'b', count: 1 }, [['asked.key', undefined]]],
  ])('names the fault of an object that has alternatives: %s', (_name, asked, expected) => {
    const { issues } = forms.safeParse({ asked }).error!;
    const faults = faultsOf(issues as unknown as SchemaIssue[], { asked });
    expect(faults.map(({ path, bound }) => [path, bound])).toEqual(expected);
  });

  it('names each unknown field as a fault of its own', () => {
    expect(faultsFor({ degre: 8, friBlowup: 4 })?.map(({ path, message }) => [path, message])).toEqual([
      ['degre', 'unknown field'],
      ['friBlowup', 'unknown field'],
    ]);
  });

  it('shortens the value it repeats to 80 characters and names at most 32 faults', () => {
    const [{ got }] = faultsFor({ rail: 'x'.repeat(5_000) })!;
    expect(got).toHaveLength(80);
    const faults = faultsFor({ items: Array(10_000).fill({ price: 1 }) });
    expect(faults).toHaveLength(FAULTS_MAX);
  });

  it('throws nothing but a problem, whatever the value', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withDate: true, withTypedArray: true }), value => {
        try {
          parseOrProblem(schema, value);
        } catch (error) {
          expect(error).toBeInstanceOf(ProblemError);
          JSON.stringify((error as ProblemError).payload);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('problemDetails', () => {
  it.each(PROBLEM_CODES)('gives %s its status, its title and a type of its own', code => {
    const details = problemDetails(problem(code, 'why'), { instance: '/x', traceId: 't' });
    expect(ProblemDetails.safeParse(details).success).toBe(true);
    expect(details).toMatchObject({ status: PROBLEMS[code].status, title: PROBLEMS[code].title, code });
    const path = `/problems/${code.toLowerCase().replaceAll('_', '-')}`;
    expect(details.type).toBe(path);
    const context = { origin: 'https://svc.example', traceId: 't' };
    expect(problemDetails(problem(code, 'why'), context).type).toBe(`https://svc.example${path}`);
  });

  it('lets extensions replace type and title, and nothing that a client relies on', () => {
    const extensions = {
      type: 'https://t.example',
      title: 'T',
      status: 200,
      code: 'x',
      traceId: 'y',
      detail: 'z',
      invoice: 'ln',
      charged: 'yes',
      retry: 'no',
    };
    const details = problemDetails(problem('PAYMENT_REQUIRED', 'pay', { extensions }), { traceId: 't' });
    expect(details).toEqual({
      type: 'https://t.example',
      title: 'T',
      invoice: 'ln',
      charged: 'no',
      retry: 'pay',
      status: 402,
      code: 'PAYMENT_REQUIRED',
      detail: 'pay',
      traceId: 't',
    });
  });

  it('reads every HTTP exception as a problem of its status', () => {
    expect(asProblem(new NotFoundException('Cannot GET /x')).payload).toEqual({
      code: 'NOT_FOUND',
      detail: 'Cannot GET /x',
    });
    expect(asProblem(new BadRequestException('no')).status).toBe(400);
    expect(asProblem(Object.assign(new Error('of Postgres'), { code: '22021' })).payload).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: [{ message: 'holds the character U+0000' }],
    });
    expect(asProblem({ not: 'an error' }).code).toBe('INTERNAL');
    expect(asProblem(undefined).code).toBe('INTERNAL');
  });
});

@Controller()
class TestController {
  @Get('busy') busy() {
    throw problem('OVERLOADED', 'All provers are busy', {
      retryAfterSeconds: 7,
      extensions: { queueLength: 3 },
    });
  }
  @Get('broken') broken() {
    throw new Error('password=hunter2');
  }
  @Post('echo') echo(@Body() body: unknown) {
    return body;
  }
}
@Module({ controllers: [TestController] })
class TestModule {}

describe('problemOf', () => {
  it('gives the problem that work ends in, and ends in whatever else that is', async () => {
    const thrown = problem('CONFLICT', 'It was revoked');
    expect(await problemOf(Promise.reject(thrown))).toBe(thrown);
    await expect(problemOf(Promise.reject(new RangeError('broken')))).rejects.toThrow(RangeError);
    await expect(problemOf(Promise.resolve({ a: 1 }))).rejects.toThrow('expected a problem, got {"a":1}');
    await expect(problemOf(Promise.resolve())).rejects.toThrow('expected a problem, got undefined');
  });
});

describe('HttpProblemFilter', () => {
  let app: NestFastifyApplication;
  let logged = '';

  beforeAll(async () => {
    const destination = new Writable({
      write(chunk, _encoding, done) {
        logged += String(chunk);
        done();
      },
    });
    const filter = new HttpProblemFilter({
      logger: createLogger('gateway', { level: 'error', destination }),
    });
    app = await NestFactory.create<NestFastifyApplication>(
      TestModule,
      new FastifyAdapter({ bodyLimit: 100 }),
      { logger: false, abortOnError: false },
    );
    app.useGlobalFilters(filter);
    await app.listen(0, '127.0.0.1');
  });
  afterAll(() => app?.close());

  const ask = async (method: 'GET' | 'POST', path: string, body?: string, type = 'application/json') => {
    const headers = body === undefined ? undefined : { 'content-type': type };
    const response = await fetch(`${await app.getUrl()}${path}`, { method, headers, body });
    expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    return { response, body: ProblemDetails.parse(await response.json()) };
  };

  it('answers a problem with its status, members, Retry-After and the path without its query', async () => {
    const { response, body } = await ask('GET', '/busy?key=secret');
    expect(response.headers.get('retry-after')).toBe('7');
    expect(body).toMatchObject({ status: 503, code: 'OVERLOADED', instance: '/busy', queueLength: 3 });
    expect(body.traceId).toMatch(/^[0-9a-f]{32}$/);
  });

  it('answers an unknown error with INTERNAL, leaks nothing, and logs it under the trace id', async () => {
    const { body } = await ask('GET', '/broken');
    expect(body).toMatchObject({ status: 500, code: 'INTERNAL' });
    expect(JSON.stringify(body)).not.toContain('hunter2');
    const line = logged.split('\n').find(text => text.includes('hunter2'))!;
    expect(JSON.parse(line).traceId).toBe(body.traceId);
  });

  it.each([
    ['an unknown path', 'GET', '/nothing', undefined, undefined, 404, 'NOT_FOUND'],
    ['broken JSON', 'POST', '/echo', '{', undefined, 400, 'MALFORMED_JSON'],
    ['an empty body', 'POST', '/echo', '', undefined, 400, 'MALFORMED_JSON'],
    [
      'a body beyond the limit',
      'POST',
      '/echo',
      JSON.stringify('x'.repeat(200)),
      undefined,
      413,
      'BODY_TOO_LARGE',
    ],
    ['another content type', 'POST', '/echo', '<a/>', 'application/xml', 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ] as const)('answers %s', async (_name, method, url, payload, type, status, code) => {
    const { response, body } = await ask(method, url, payload, type);
    expect([response.status, body.code]).toEqual([status, code]);
  });
});

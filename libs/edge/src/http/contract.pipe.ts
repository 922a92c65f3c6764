import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { parseOrProblem } from '@svc/platform';
import { z } from 'zod';

/**
 * Validates what a handler takes by the schema of its parameter, `@Body({ schema })`, and refuses
 * with a problem that names field, bound and value.
 */
@Injectable()
export class ContractPipe implements PipeTransform {
  transform(value: unknown, { schema }: ArgumentMetadata): unknown {
    return schema instanceof z.ZodType ? parseOrProblem(schema, value) : value;
  }
}

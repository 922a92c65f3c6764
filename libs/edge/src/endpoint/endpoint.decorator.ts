import { applyDecorators, HttpCode, RequestMapping, RequestMethod } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import type { Route } from '@svc/contracts';

/** Answers a route of the registry: its method and path, its first status, its operation id. */
export function Endpoint(route: Route): MethodDecorator {
  const statuses = Object.keys(route.replies).map(Number);
  return applyDecorators(
    RequestMapping({ path: route.path, method: RequestMethod[route.method] }),
    HttpCode(Math.min(...statuses, 599)),
    ApiOperation({ operationId: route.operationId, summary: route.summary }),
  );
}

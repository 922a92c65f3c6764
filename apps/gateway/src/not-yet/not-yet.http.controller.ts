import { Controller, type Type } from '@nestjs/common';
import type { Route } from '@svc/contracts';
import { problem } from '@svc/platform';
import { Endpoint } from '@svc/edge';

/** What a route whose engine is to come answers, whatever the request holds. */
export function notYetAvailable(route: Route): never {
  throw problem(
    'NOT_YET_AVAILABLE',
    `${route.method} ${route.path} is published but its engine is not in service yet. Nothing was charged.`,
    { extensions: { operationId: route.operationId, charged: false } },
  );
}

/** A controller that answers every given route with 501. */
export function notYetController(routes: readonly Route[]): Type {
  @Controller()
  class NotYetHttpController {}
  for (const route of routes) {
    const answer = () => notYetAvailable(route);
    Object.defineProperty(NotYetHttpController.prototype, route.operationId, {
      value: answer,
      writable: true,
      configurable: true,
    });
    const descriptor = Object.getOwnPropertyDescriptor(NotYetHttpController.prototype, route.operationId)!;
    Endpoint(route)(NotYetHttpController.prototype, route.operationId, descriptor);
  }
  return NotYetHttpController;
}

import { gatewayRoutes } from '@svc/contracts';
import type { FastifyRequest } from 'fastify';

const PATHS: ReadonlySet<string> = new Set([gatewayRoutes.livez.path, gatewayRoutes.readyz.path]);

/** Orchestrators ask these, often, by whatever name they know a container, and must have their answer. */
export const isOrchestrators = ({ url }: Pick<FastifyRequest, 'url'>): boolean => PATHS.has(url);

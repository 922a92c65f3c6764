import { Controller, Inject, Req, Res } from '@nestjs/common';
import { gatewayRoutes } from '@svc/contracts';
import { Endpoint, realmOf, schemeOf } from '@svc/edge';
import { problem } from '@svc/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Whom to tell of a weakness: `mailto:` or an https address; undefined where nobody is named. */
export const SECURITY_CONTACT = Symbol('SECURITY_CONTACT');

const { path } = gatewayRoutes.securityText;

/** Says whom to tell of a weakness, as RFC 9116 has it. */
@Controller()
export class SecurityTextHttpController {
  /** A year after the start: who runs this still runs it then, or the text is no longer there. */
  private readonly expires = new Date(new Date().setUTCFullYear(new Date().getUTCFullYear() + 1));

  constructor(@Inject(SECURITY_CONTACT) private readonly contact: string | undefined) {}

  @Endpoint(gatewayRoutes.securityText)
  text(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): string {
    if (this.contact === undefined) throw problem('NOT_FOUND', 'This installation names nobody');
    reply.type('text/plain; charset=utf-8');
    const lines = [
      `Contact: ${this.contact}`,
      `Expires: ${this.expires.toISOString()}`,
      'Preferred-Languages: en',
      `Canonical: ${schemeOf(request)}://${realmOf(request)}${path}`,
    ];
    return `${lines.join('\n')}\n`;
  }
}

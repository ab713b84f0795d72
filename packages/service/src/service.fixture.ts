import { Limiter, type RateLimitBinding } from '@svc/rate-limit'
import type { Runtime, ServiceDescription } from './description.ts'
import { defineOperation, type Route, route } from './operation.ts'
import { createService, type ServiceApp } from './service.ts'
import { SIBLING_SHAPE } from './shapes.ts'

/** A service of no Worker, for the tests of this package. */
const TOY_DESCRIPTION: ServiceDescription = {
  service: 'consent',
  version: '1.2.3',
  title: 'Toy',
  summary: 'A toy.',
  shape: SIBLING_SHAPE,
  origins: () => 'checked',
}

export const TOY_BASE = 'https://toy.test'

const unlimited: RateLimitBinding = { limit: async () => ({ success: true }) }

export function toyRuntime(binding: RateLimitBinding | undefined = unlimited): Runtime<null> {
  return {
    config: {
      ENVIRONMENT: 'test',
      PUBLIC_ORIGINS: [TOY_BASE],
      ALLOWED_ORIGINS: ['http://localhost:3000'],
      REDIRECT_ORIGINS: [],
      BUILD_SHA: 'unknown',
      COMMIT: 'unknown',
    },
    limiter: new Limiter('toy', () => binding),
    deps: null,
  }
}

/** A GET route that answers as told. */
export function toyRoute(path: string, handle: () => Response | Promise<Response>): Route<null> {
  const id = `read${path.replaceAll(/\W/g, '')}`
  const answer = { status: 200, description: 'Text', contentType: 'text/plain' } as const
  const operation = defineOperation({ id, method: 'get', path, summary: 'A toy', auth: 'none', answer })
  return route<null>()(operation, handle)
}

export interface Toy {
  readonly service: ServiceApp
  readonly send: (request: Request) => Promise<Response>
}

export function toy(
  routes: readonly Route<null>[],
  description: Partial<ServiceDescription> = {},
  setUp: () => Runtime<null> = toyRuntime,
): Toy {
  const service = createService({ ...TOY_DESCRIPTION, ...description }, setUp, routes)
  const env = {}
  return { service, send: async (request) => service.app.fetch(request, env) }
}

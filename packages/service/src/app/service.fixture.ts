import { Limiter, type RateLimitBinding } from '@svc/rate-limit'
import { SIBLING_SHAPE } from '../answer/shapes.ts'
import { StaticFiles } from '../answer/static-files.ts'
import type { ServiceConfig } from './config.ts'
import type { Runtime, ServiceDescription } from './description.ts'
import { defineOperation, type Route, route } from './operation.ts'
import { createService, type ServiceApp, type ServiceDeps } from './service.ts'

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

/** Static assets of a deployment that has these files, by path, and no others. */
export function deployed(files: Readonly<Record<string, string>>): StaticFiles {
  const answer = (url: string) => {
    const file = files[new URL(url).pathname]
    return file === undefined ? new Response(null, { status: 404 }) : new Response(file)
  }
  return new StaticFiles({ fetch: async (url: string) => answer(url) } as unknown as Fetcher, 'API description')
}

export function toyRuntime(
  binding: RateLimitBinding | undefined = unlimited,
  description: StaticFiles = deployed({}),
): Runtime<ServiceDeps> {
  const config: ServiceConfig = {
    ENVIRONMENT: 'test',
    PUBLIC_ORIGINS: [TOY_BASE],
    ALLOWED_ORIGINS: ['http://localhost:3000'],
    JURISDICTION: 'none',
    OBJECT_HINT: '',
    REDIRECT_ORIGINS: [],
    REALMS: ['https://core.test'],
    CORE_ORIGIN: 'https://core.test',
    LOG_SAMPLE: 1,
    BUILD_SHA: 'unknown',
    COMMIT: 'unknown',
  }
  return { config, limiter: new Limiter('toy', () => binding), deps: { config, description } }
}

/** A GET route that answers as told. */
export function toyRoute(path: string, handle: () => Response | Promise<Response>): Route<unknown> {
  const id = `read${path.replaceAll(/\W/g, '')}`
  const answer = { status: 200, description: 'Text', contentType: 'text/plain' } as const
  const operation = defineOperation({ id, method: 'get', path, summary: 'A toy', auth: 'none', answer })
  return route<unknown>()(operation, handle)
}

export interface Toy {
  readonly service: ServiceApp
  readonly send: (request: Request) => Promise<Response>
}

export function toy(
  routes: readonly Route<unknown>[],
  description: Partial<ServiceDescription> = {},
  setUp: () => Runtime<ServiceDeps> = toyRuntime,
): Toy {
  const service = createService({ ...TOY_DESCRIPTION, ...description }, setUp, routes)
  const env = {}
  return { service, send: async (request) => service.app.fetch(request, env) }
}

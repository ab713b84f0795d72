import { realmsSchema } from '@svc/protocol/base/realm'
import { Limiter, type RateLimitBinding, type Service } from '@svc/rate-limit'
import * as z from 'zod'
import { jurisdictionSchema, objectHintSchema } from './jurisdiction.ts'

/** The variables of every Worker. Each Worker adds its own. */
export const serviceConfigSchema = z.object({
  ENVIRONMENT: z.string().min(1),
  PUBLIC_ORIGINS: z.array(z.url()).min(1),
  ALLOWED_ORIGINS: z.array(z.string()),
  /** The deployment's realms, the same list in all eight Workers. Signs for the first and accepts statements for each. */
  REALMS: realmsSchema,
  /** The canonical origin of core, where the discovery document is. */
  CORE_ORIGIN: z.url().regex(/[^/]$/),
  /** Of every Durable Object and D1 database. Cannot change once there is data. */
  JURISDICTION: jurisdictionSchema,
  OBJECT_HINT: objectHintSchema,
  /** The aliases in PUBLIC_ORIGINS whose reads are redirected to the first. */
  REDIRECT_ORIGINS: z.array(z.url()).default([]),
  /** The share of answered requests that have a log line. Refusals and failures always have one. */
  LOG_SAMPLE: z.number().min(0).max(1).default(1),
  BUILD_SHA: z.string().default('unknown'),
  COMMIT: z.string().default('unknown'),
})
export type ServiceConfig = z.infer<typeof serviceConfigSchema>

/** A fault of the deployment. Its message names variables, never values, so it may be logged. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** Validates variables and secrets with one schema. The message names the variables, never their values. */
export function readConfig<S extends z.ZodType>(schema: S, env: object): z.output<S> {
  const parsed = schema.safeParse(env)
  if (parsed.success) return parsed.data
  throw new ConfigError(`configuration: ${parsed.error.issues.map((issue) => issue.path.join('.')).join(', ')}`)
}

/** Computes once per env object, that is, once per isolate. */
export function oncePerEnv<E extends object, T>(create: (env: E) => T): (env: E) => T {
  const made = new WeakMap<E, T>()
  return (env) => {
    const existing = made.get(env)
    if (existing !== undefined) return existing
    const value = create(env)
    made.set(env, value)
    return value
  }
}

/** The limiter over a Worker's bindings: `LIMIT_300` counts 300 requests per 60 seconds. */
export function limiterOf(service: Service, env: object): Limiter {
  return new Limiter(service, (limit) => (env as Record<string, RateLimitBinding | undefined>)[`LIMIT_${limit}`])
}

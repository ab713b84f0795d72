/**
 * The secret that the Workers of one deployment show each other. Nothing is derived from it. During a change there are
 * two: a Worker sends the current one and accepts both, so that no call is refused until every Worker has the new one.
 *
 * @module
 */
import * as z from 'zod'
import { equalSecrets } from '../auth/equal-secrets.ts'

/** Empty counts as unset. */
const internalSecretSchema = z.union([z.literal(''), z.string().min(32)])

/** The configuration that internal calls need. */
export const internalSecretFields = {
  SVC_INTERNAL_SECRET: internalSecretSchema.optional(),
  /** The previous one, during a change. */
  SVC_INTERNAL_SECRET_PREVIOUS: internalSecretSchema.optional(),
}

export interface InternalSecrets {
  readonly current: string | undefined
  readonly previous?: string | undefined
}

export function internalSecretsOf(config: {
  readonly SVC_INTERNAL_SECRET?: string | undefined
  readonly SVC_INTERNAL_SECRET_PREVIOUS?: string | undefined
}): InternalSecrets {
  return { current: config.SVC_INTERNAL_SECRET, previous: config.SVC_INTERNAL_SECRET_PREVIOUS }
}

/** The accepted ones, current first. Without a current one there are none: a previous one alone admits nobody. */
function acceptedSecrets({ current, previous }: InternalSecrets): string[] {
  if (!current) return []
  return previous ? [current, previous] : [current]
}

/** Compares with every accepted secret, so that the time does not reveal which one matched. */
export function isInternalSecret(presented: string, secrets: InternalSecrets): boolean {
  const matches = acceptedSecrets(secrets).map((secret) => equalSecrets(presented, secret))
  return matches.includes(true)
}

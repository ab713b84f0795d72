/**
 * The secret shared by the Workers of one deployment, and what is derived from it. During a change there are two: a
 * Worker sends and derives with the current one and accepts both, so that no call, and nothing already issued, is
 * rejected until every Worker has the new one.
 *
 * @module
 */
import * as z from 'zod'
import { equalSecrets } from '../auth/equal-secrets.ts'

/** Someone who has seen an offer's code can test guesses of a short secret against it. Empty counts as unset. */
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

/** HMAC-SHA-256 under the secrets of a deployment. Each use prefixes its own label to the message. */
export class InternalMacs {
  readonly #secrets: readonly string[]
  #keys: Promise<CryptoKey[]> | undefined

  constructor(secrets: InternalSecrets) {
    this.#secrets = acceptedSecrets(secrets)
  }

  /** Under every accepted secret, current first; none without a secret. */
  async all(message: string): Promise<Uint8Array[]> {
    this.#keys ??= Promise.all(this.#secrets.map(importKey))
    const bytes = new TextEncoder().encode(message)
    const macs = (await this.#keys).map((key) => crypto.subtle.sign('HMAC', key, bytes))
    return (await Promise.all(macs)).map((mac) => new Uint8Array(mac))
  }

  /** Under the current secret, or null without one: nothing is issued that anyone could compute. */
  async current(message: string): Promise<Uint8Array | null> {
    const [mac = null] = await this.all(message)
    return mac
  }
}

function importKey(secret: string): Promise<CryptoKey> {
  const material = new TextEncoder().encode(secret)
  return crypto.subtle.importKey('raw', material, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
}

/**
 * The secret that the Workers of one deployment share, and what is made with it. While it is being changed there are
 * two: a Worker sends and makes with the current one, and takes both, so that no call and nothing that was handed out
 * is refused between the first Worker that has the new one and the last.
 *
 * @module
 */
import * as z from 'zod'
import { equalSecrets } from './equal-secrets.ts'

/** Anybody who has seen an offer's code holds something to test guesses of a short secret on. Empty is as unset. */
const internalSecretSchema = z.union([z.literal(''), z.string().min(32)])

/** The members of a Worker's configuration that internal calls need. */
export const internalSecretFields = {
  SVC_INTERNAL_SECRET: internalSecretSchema.optional(),
  /** The one before it, for as long as a change takes. */
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

/** Those that are accepted, the current one first. Without a current one nothing is: a previous one alone opens no gate. */
function acceptedSecrets({ current, previous }: InternalSecrets): string[] {
  if (!current) return []
  return previous ? [current, previous] : [current]
}

/** Compares with every accepted secret, so that time does not tell which of them it was. */
export function isInternalSecret(presented: string, secrets: InternalSecrets): boolean {
  const matches = acceptedSecrets(secrets).map((secret) => equalSecrets(presented, secret))
  return matches.includes(true)
}

/** HMAC-SHA-256 under the secrets of a deployment. Each use puts a label of its own before its message. */
export class InternalMacs {
  readonly #secrets: readonly string[]
  #keys: Promise<CryptoKey[]> | undefined

  constructor(secrets: InternalSecrets) {
    this.#secrets = acceptedSecrets(secrets)
  }

  /** Under every accepted secret, the current one first; none without a secret. */
  async all(message: string): Promise<Uint8Array[]> {
    this.#keys ??= Promise.all(this.#secrets.map(importKey))
    const bytes = new TextEncoder().encode(message)
    const macs = (await this.#keys).map((key) => crypto.subtle.sign('HMAC', key, bytes))
    return (await Promise.all(macs)).map((mac) => new Uint8Array(mac))
  }

  /** Under the current secret, or null without one: nothing is made that anybody could make. */
  async current(message: string): Promise<Uint8Array | null> {
    const [mac = null] = await this.all(message)
    return mac
  }
}

function importKey(secret: string): Promise<CryptoKey> {
  const material = new TextEncoder().encode(secret)
  return crypto.subtle.importKey('raw', material, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
}

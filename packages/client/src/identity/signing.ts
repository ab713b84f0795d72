/**
 * What is signed without a client takes, and the keys that it is signed with.
 *
 * @module
 */
import type { AssertionRequest } from '#assertion'
import { isOlderHead, type KnownInception } from '#protocol/base/inception-head'
import type { KeyPurpose } from '#protocol/base/key-agreement'
import type { Members } from '../arguments/check.ts'
import type { NewMessage } from './message.ts'
import type { IdentitySeeds } from './own-keys.ts'

/** Where and when something is signed without a client. */
export interface Signing {
  /** The deployment that it is for: `client.realm`. */
  readonly realm: string
  /** Epoch milliseconds; default: the runtime's clock. */
  readonly now?: number
  /**
   * The newest event of the inception log that the signer knows: `await client.devices.known()`. Default: none, or for a
   * device the event that attested it.
   */
  readonly inception?: KnownInception
}

/** Members of every statement that a root key or a device signs. */
export interface Placed {
  readonly realm: string
  readonly inception: KnownInception
  readonly issuedAt: number
}

/** `attested` is the event that attested the signing device, which is the oldest event that it can name. */
export function placed(
  { realm, now = Date.now(), inception = null }: Signing,
  attested: KnownInception = null,
): Placed {
  return { realm, inception: isOlderHead(inception, attested) ? attested : inception, issuedAt: now }
}

/** A request that an assertion is made for. */
export type RequestToSign = Omit<AssertionRequest, 'now'> & Pick<Signing, 'now'>

export const SIGNING: Members<Signing> = { realm: 1, now: 0, inception: 0 }
export const REQUEST: Members<RequestToSign> = { audience: 1, method: 1, url: 1, body: 0, lifetimeMs: 0, now: 0 }
export const MESSAGE: Members<NewMessage> = { realm: 1, audience: 1, content: 1, now: 0, nonce: 0, inception: 0 }
export const PURPOSE: Members<KeyPurpose> = { label: 1, info: 1 }
export const SEEDS: Members<IdentitySeeds> = { signing: 1, kem: 1 }

import { env } from 'cloudflare:workers'
import { toHex } from '@svc/protocol/base/hash'
import { consentBucketOf } from '@svc/protocol/consent/buckets'
import { Stores } from '../src/store/client.ts'
import type { NewAct } from '../src/store/records.ts'
import { freshHash } from './harness.ts'

export const stores = new Stores(env.CONSENT_STORES)

const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes))
export const newDid = () => `did:svc:${toHex(random(16))}`

/** Identifiers of one bucket. */
export function hashesOf(bucket: number, count: number): string[] {
  const found: string[] = []
  while (found.length < count) {
    const hash = freshHash()
    if (consentBucketOf(hash) === bucket) found.push(hash)
  }
  return found
}

/** An act as the store gets it, which verifies nothing. */
export function actOn(
  hash: string,
  creatorDid: string,
  action: NewAct['action'],
  changed: Partial<NewAct> = {},
): NewAct {
  return {
    hash,
    action,
    creatorDid,
    preferences: action === 'delete' ? null : { ai_training: 'disallow' },
    publicKeyB64u: 'A'.repeat(2603),
    signatureB64u: 'A'.repeat(4412),
    actHash: toHex(random(48)),
    signer: { kind: 'root', epoch: 0 },
    ...changed,
  }
}

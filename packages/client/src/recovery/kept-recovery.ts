/**
 * The recovery file that an owner keeps in case the root key is stolen or lost: requests to rotate to a successor, which
 * the root key has signed in advance. It has no secrets. The successor itself is kept elsewhere.
 *
 * @module
 */

import * as z from 'zod'
import { bytesOf } from '#protocol/base/base64url'
import { didSchema, scopeSchema, signatureSchema } from '#protocol/base/identity'
import { jcs } from '#protocol/base/jcs'
import { pure } from '#protocol/base/pure'
import type { Realms } from '#protocol/base/realm'
import { signStatement, verifyStatement } from '#protocol/base/statement'
import { MAX_SUCCESSORS } from '#protocol/chain/commitment'
import {
  type RotationRecord,
  rotationIdOf,
  rotationRequestSchema,
  type SignedRotationRequest,
} from '#protocol/chain/rotation'
import { checkCall } from '../arguments/check.ts'
import { signerOf } from '../identity/signing-key.ts'
import { ConfigurationError } from '../transport/configuration-error.ts'
import type { RootCopy } from './parties.ts'

const VERSIONS = 2

const keptRequestSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      statement: rotationRequestSchema,
      /** Signature of the root key. Null if the new key requests the rotation alone. */
      signatureB64u: signatureSchema.nullable(),
      /** Signature of the new key. Null if the new key, derived from the words, signs at the time of the recovery. */
      newKeySignatureB64u: signatureSchema.nullable(),
    })
    .refine(
      ({ signatureB64u, newKeySignatureB64u }) => signatureB64u !== null || newKeySignatureB64u !== null,
      'a request must be signed',
    ),
)
export type KeptRequest = z.infer<typeof keptRequestSchema>

export const keptRecoverySchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      format: z.literal('svc/recovery/v1'),
      did: didSchema,
      scope: scopeSchema,
      /** The epoch that the new key opens. Once another key has opened it, the requests are void. */
      epoch: z.int().min(1),
      /** At most one request of each version for each successor. */
      requests: z
        .array(keptRequestSchema)
        .min(1)
        .max(VERSIONS * MAX_SUCCESSORS),
    })
    .refine(
      ({ did, scope, epoch, requests }) =>
        new Set(requests.map(({ statement }) => `${statement.version} ${statement.newPublicKeyB64u}`)).size ===
          requests.length &&
        requests.every(
          ({ statement }) => statement.did === did && statement.scope === scope && statement.epoch === epoch,
        ),
      'the requests must be for this identity and epoch, one of each version for each key',
    ),
)
export type KeptRecovery = z.infer<typeof keptRecoverySchema>

/** The first request of a version. */
export function requestOf({ requests }: KeptRecovery, version: 1 | 2): KeptRequest | null {
  return requests.find(({ statement }) => statement.version === version) ?? null
}

/** The ids of the rotations that the requests open. */
export function idsOf({ requests }: KeptRecovery): readonly string[] {
  return requests.map(({ statement }) => rotationIdOf(statement))
}

/** Returns the public keys that the requests rotate to: one for each sheet, or the one from `prepareRecovery`. */
export function keptKeys(kept: KeptRecovery): readonly string[] {
  checkCall('keptKeys', [kept], ['kept'])
  return [...new Set(kept.requests.map(({ statement }) => statement.newPublicKeyB64u))]
}

/** Whether a rotation leads to the key of a kept request, with the same successors in any order, as core compares them. */
export function leadsTheSameWay(kept: KeptRecovery, { request }: Pick<RotationRecord, 'request'>): boolean {
  const { statement } = request
  if (!('newPublicKeyB64u' in statement)) return false
  const wayOf = ({ newPublicKeyB64u, next, replaceable }: KeptRequest['statement']) =>
    jcs({ newPublicKeyB64u, next: next.toSorted(), replaceable })
  return kept.requests.some((one) => wayOf(one.statement) === wayOf(statement))
}

/**
 * Signs the requests for one of the keys with that key, so that they can be sent. Throws a `ConfigurationError` for a key
 * that the requests do not rotate to: an identity would be lost if it rotated to a key that nobody has.
 */
export async function completedRecovery(kept: KeptRecovery, successor: RootCopy): Promise<KeptRecovery> {
  checkCall('completedRecovery', [kept, successor], ['kept', 'successor'])
  const { publicKeyB64u } = successor
  const ours = kept.requests.filter(({ statement }) => statement.newPublicKeyB64u === publicKeyB64u)
  if (ours.length === 0)
    throw new ConfigurationError(
      'successor',
      'The kept requests rotate to other keys. Nothing was sent: without those keys the identity would be lost',
    )
  const requests: KeptRequest[] = []
  for (const { statement, signatureB64u, newKeySignatureB64u } of ours) {
    const signed = newKeySignatureB64u ?? (await signStatement(statement, signerOf(successor))).signatureB64u
    requests.push({ statement, signatureB64u, newKeySignatureB64u: signed })
  }
  return { ...kept, requests }
}

/** Returns a request in the form in which it is sent; null if the new key has not signed it yet. */
export function sendable({ statement, signatureB64u, newKeySignatureB64u }: KeptRequest): SignedRotationRequest | null {
  return newKeySignatureB64u === null ? null : { statement, signatureB64u, newKeySignatureB64u }
}

/** Verifies the signatures that a request has. Ignores those that are null. */
export async function verifyKept(
  { statement, signatureB64u, newKeySignatureB64u }: KeptRequest,
  endingKey: Uint8Array,
  expectedRealms: Realms,
): Promise<boolean> {
  const newKey = bytesOf(statement.newPublicKeyB64u)
  const signatures = [
    [signatureB64u, endingKey],
    [newKeySignatureB64u, newKey],
  ] as const
  for (const [signature, key] of signatures) {
    if (signature !== null && !(await verifyStatement({ statement, signatureB64u: signature }, key, expectedRealms)))
      return false
  }
  return true
}

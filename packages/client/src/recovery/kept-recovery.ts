/**
 * What an owner keeps for the day on which the root key is stolen or lost: requests to rotate to a new key, signed by
 * both keys in advance. The seeds of the new key are kept apart from it.
 *
 * @module
 */

import * as z from 'zod'
import { encodeBase64url } from '#protocol/base/base64url'
import { didSchema, publicKeySchema, scopeSchema } from '#protocol/base/identity'
import { pure } from '#protocol/base/pure'
import { signStatement } from '#protocol/base/statement'
import { type Commitment, NO_COMMITMENT } from '#protocol/chain/commitment'
import { rotationIdOf, type SignedRotationRequest, signedRotationRequestSchema } from '#protocol/chain/rotation'
import { signerOf } from '../identity/signing-key.ts'

export const keptRecoverySchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      format: z.literal('svc/recovery/v1'),
      did: didSchema,
      scope: scopeSchema,
      /** The epoch that the new key opens. Once another key has opened it, the requests are void. */
      epoch: z.int().min(1),
      newPublicKeyB64u: publicKeySchema,
      requests: z.array(signedRotationRequestSchema).min(1).max(2),
    })
    .refine(
      ({ did, scope, epoch, newPublicKeyB64u, requests }) =>
        new Set(requests.map(({ statement }) => statement.version)).size === requests.length &&
        requests.every(
          ({ statement }) =>
            statement.did === did &&
            statement.scope === scope &&
            statement.epoch === epoch &&
            statement.newPublicKeyB64u === newPublicKeyB64u,
        ),
      'the requests must be for this identity and key, one of each version',
    ),
)
export type KeptRecovery = z.infer<typeof keptRecoverySchema>

export function requestOf({ requests }: KeptRecovery, version: 1 | 2): SignedRotationRequest | null {
  return requests.find(({ statement }) => statement.version === version) ?? null
}

/** The ids of the rotations that the requests open. */
export function idsOf({ requests }: KeptRecovery): readonly string[] {
  return requests.map(({ statement }) => rotationIdOf(statement))
}

interface Signer {
  readonly did: string
  readonly scope: string
  readonly epoch: number
  readonly publicKeyB64u: string
}

export interface RotationTerms {
  readonly version: 1 | 2
  /** The deployment that it is for. */
  readonly realm: string
  /** Epoch milliseconds. */
  readonly now: number
  /** Who may follow the new key. Default: any key that it names. */
  readonly commitment?: Commitment
}

/** A rotation, or the rehearsal of one, signed by the root key and the one that follows it. */
export async function signRotation<T extends 'svc/rotation-request/v1' | 'svc/rotation-rehearsal/v1'>(
  type: T,
  { root, successor }: { readonly root: Signer; readonly successor: Signer },
  { version, realm, now, commitment = NO_COMMITMENT }: RotationTerms,
) {
  const { did, scope } = root
  if (successor.scope !== scope || successor.epoch !== root.epoch + 1) {
    throw new TypeError('The successor belongs to another identity: create it with `identity.successor()`')
  }
  const statement = {
    type,
    realm,
    did,
    scope,
    version,
    epoch: root.epoch + 1,
    newPublicKeyB64u: successor.publicKeyB64u,
    next: [...commitment.next],
    replaceable: commitment.replaceable,
    nonce: encodeBase64url(crypto.getRandomValues(new Uint8Array(18))),
    issuedAt: now,
  }
  const byRoot = await signStatement(statement, signerOf(root))
  const byNewKey = await signStatement(statement, signerOf(successor))
  return { ...byRoot, newKeySignatureB64u: byNewKey.signatureB64u }
}

export async function signRecovery(
  keys: { readonly root: Signer; readonly successor: Signer },
  { versions, ...signing }: { readonly versions: readonly (1 | 2)[] } & Omit<RotationTerms, 'version'>,
): Promise<KeptRecovery> {
  const requests: SignedRotationRequest[] = []
  for (const version of versions) {
    requests.push(await signRotation('svc/rotation-request/v1', keys, { version, ...signing }))
  }
  const { did, scope, epoch, publicKeyB64u: newPublicKeyB64u } = keys.successor
  return { format: 'svc/recovery/v1', did, scope, epoch, newPublicKeyB64u, requests }
}

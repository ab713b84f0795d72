/**
 * A capsule with its signature, as its signer has it before a service answers: what it proves by itself. A bundle adds
 * what the service says of its registration.
 *
 * @module
 */
import * as z from 'zod'
import { bytesOf } from '../base/base64url.ts'
import { didOf, userIdOfKey } from '../base/identity.ts'
import { pure } from '../base/pure.ts'
import type { Realms } from '../base/realm.ts'
import { verifyStatement } from '../base/statement.ts'
import { blockHash, type ChainBlockV4, type EpochKey, isSigned, verifyBlockSignature } from '../chain/chain.ts'
import {
  assetIdOf,
  CAPSULE_CONTENT_TYPE,
  type Capsule,
  capsuleHash,
  capsuleSchema,
  capsuleSignatureSchema,
  registerCapsuleSchema,
} from './capsules.ts'

export const signedCapsuleSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({
    capsule: capsuleSchema,
    signature: capsuleSignatureSchema,
    block: registerCapsuleSchema.shape.block,
  }),
)
export type SignedCapsule = z.infer<typeof signedCapsuleSchema>

/** Data the verifier obtained independently. With the realms alone, only the signature can be verified. */
export interface CapsuleExpectations {
  /** The capsule must be for one of these deployments. */
  readonly realms: Realms
  /** The file's bytes; if given, the capsule must be about exactly this file. */
  readonly file?: Uint8Array
  readonly expectedDid?: string
  /** Root keys of the DID as verified by `verifyKeyHistory`; needed if the root key was rotated. */
  readonly rootKeys?: readonly EpochKey[]
}

export type CapsuleFault =
  | 'did_mismatch'
  | 'realm_mismatch'
  | 'invalid_signature'
  | 'content_mismatch'
  | 'block_mismatch'

export interface CapsuleVerdict {
  readonly faults: readonly CapsuleFault[]
  readonly verified: readonly ('capsule_signature' | 'content_hash' | 'key_of_did' | 'chain_block')[]
}

/** Verifies a capsule offline. It must have passed its schema. Without `key_of_did`, a device or nobody may have signed. */
export async function verifySignedCapsule(
  { capsule, signature: { publicKeyB64u, signatureB64u }, block }: SignedCapsule,
  { realms, file, expectedDid, rootKeys = [] }: CapsuleExpectations,
): Promise<CapsuleVerdict> {
  const faults: CapsuleFault[] = []
  const verified: CapsuleVerdict['verified'][number][] = []
  const settle = (kind: CapsuleVerdict['verified'][number], fault: CapsuleFault, holds: boolean) => {
    if (holds) verified.push(kind)
    else faults.push(fault)
  }
  if (expectedDid !== undefined && expectedDid !== capsule.did) faults.push('did_mismatch')
  if (!realms.includes(capsule.realm)) faults.push('realm_mismatch')
  // Under its own realm: whose deployment it is for and whether it is signed are two faults.
  const stated = { statement: capsule, signatureB64u }
  settle(
    'capsule_signature',
    'invalid_signature',
    await verifyStatement(stated, bytesOf(publicKeyB64u), [capsule.realm]),
  )
  if (file) settle('content_hash', 'content_mismatch', assetIdOf(file) === capsule.assetId)
  if (isGenesisKey(capsule.did, publicKeyB64u) || rootKeys.some((key) => key.publicKeyB64u === publicKeyB64u))
    verified.push('key_of_did')
  if (block) {
    const owner = await ownerOfBlock(capsule, block, rootKeys)
    if (owner === 'verified') verified.push('chain_block')
    else if (owner === null || rootKeys.length > 0) faults.push('block_mismatch')
  }
  return { faults, verified }
}

/** Whether the DID derives from the key, which makes it the genesis key. */
export function isGenesisKey(did: string, publicKeyB64u: string): boolean {
  return didOf(userIdOfKey(publicKeyB64u)) === did
}

/**
 * Whether a key of the capsule's identity signed this block with the hash of the capsule: `verified` by a key that is
 * known to be theirs, `unknown` by another one, null if it is not such a block.
 */
export async function ownerOfBlock(
  capsule: Capsule,
  block: ChainBlockV4,
  rootKeys: readonly EpochKey[],
): Promise<'verified' | 'unknown' | null> {
  if (!isSigned(block) || block.contentType !== CAPSULE_CONTENT_TYPE) return null
  const isThis = block.dataHash === capsuleHash(capsule) && didOf(block.scope) === capsule.did
  if (!isThis || !(await verifyBlockSignature(block))) return null
  const { ownerPublicKey: key, epoch } = block
  const isGenesis = epoch === 0 && isGenesisKey(capsule.did, key)
  const isTheirs = isGenesis || rootKeys.some((root) => root.publicKeyB64u === key && root.epoch === epoch)
  return isTheirs ? 'verified' : 'unknown'
}

/** Whether a block is at the place that is said of it. */
export function isBlockAt(block: ChainBlockV4, place: { readonly index: string; readonly hash: string }): boolean {
  return isSigned(block) && block.index === place.index && blockHash(block) === place.hash
}

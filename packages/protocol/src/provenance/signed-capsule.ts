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
  type InceptionStep,
  type SignedPlace,
  type SignerFault,
  type SignerState,
  signerStanding,
} from '../devices/signer-standing.ts'
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
  /**
   * Every root key of the DID as verified by `verifyKeyHistory`; needed if the root key was rotated. What a superseded one
   * signed is a fault unless something follows it.
   */
  readonly rootKeys?: readonly EpochKey[]
  /** Every state of the inception log, for the keys of devices: those of `client.devices.verify()`. Only the owner sees it. */
  readonly steps?: readonly InceptionStep[]
  /** Where the verifier had the capsule already. */
  readonly followedAt?: SignedPlace
  /** Epoch ms; default: the runtime's clock. It decides whether a device has expired. */
  readonly now?: number
}

export type CapsuleFault =
  | 'did_mismatch'
  | 'realm_mismatch'
  | 'invalid_signature'
  | 'content_mismatch'
  | 'block_mismatch'
  | SignerFault

/** What says that a capsule was signed before its key ended: its place in the inception log, or a block that commits to it. */
export type CapsuleOrder = 'inception' | 'chain' | 'unknown'

export interface CapsuleVerdict {
  readonly faults: readonly CapsuleFault[]
  readonly verified: readonly ('capsule_signature' | 'content_hash' | 'key_of_did' | 'chain_block')[]
  /** What the key that signed is today; null if the verifier cannot know: a device without the log, or no key history. */
  readonly signer: SignerState | null
  readonly order: CapsuleOrder
}

/** Verifies a capsule offline. It must have passed its schema. Without `key_of_did`, a device or nobody may have signed. */
export async function verifySignedCapsule(
  { capsule, signature, block }: SignedCapsule,
  expected: CapsuleExpectations,
): Promise<CapsuleVerdict> {
  const { realms, file, expectedDid, rootKeys = [] } = expected
  const { publicKeyB64u, signatureB64u } = signature
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
  const owner = block ? await ownerOfBlock(capsule, block, rootKeys) : null
  // A key cannot follow itself: its thief could make both.
  const isFollowed = owner === 'verified' && block?.ownerPublicKey !== publicKeyB64u
  const { fault, isTheirs, signer, order } = capsuleSigner(capsule, publicKeyB64u, expected, isFollowed)
  if (fault) faults.push(fault)
  if (isTheirs) verified.push('key_of_did')
  if (owner === 'verified') verified.push('chain_block')
  else if (block && (owner === null || rootKeys.length > 0)) faults.push('block_mismatch')
  return { faults, verified, signer, order }
}

interface CapsuleSignerFound {
  readonly fault: SignerFault | null
  /** Whether the key is one of the identity. */
  readonly isTheirs: boolean
  readonly signer: SignerState | null
  readonly order: CapsuleOrder
}

/** Whose the key is, and what has become of it. `isFollowed`: a block of the chain commits to the capsule. */
export function capsuleSigner(
  capsule: Capsule,
  publicKeyB64u: string,
  { rootKeys = [], steps, followedAt, now = Date.now() }: CapsuleExpectations,
  isFollowed: boolean,
): CapsuleSignerFound {
  const unknown = { fault: null, signer: null, order: 'unknown' } as const
  const isGenesis = isGenesisKey(capsule.did, publicKeyB64u)
  // Without the history, nobody knows whether a key replaced the first.
  if (rootKeys.length === 0) return { ...unknown, isTheirs: isGenesis }
  const { inception, issuedAt } = capsule
  const statement = { publicKeyB64u, inception, issuedAt, capability: 'provenance:write' } as const
  const standing = signerStanding({ keys: rootKeys, log: steps ?? null, now }, statement, followedAt)
  const { fault, signer } = standing
  // Of a device, a reader without the log knows nothing.
  if (fault === 'wrong_key' && !steps) return { ...unknown, isTheirs: isGenesis }
  if (fault === 'unordered' && isFollowed) return { fault: null, isTheirs: true, signer, order: 'chain' }
  if (fault !== null) return { ...unknown, fault, isTheirs: false }
  return { fault, isTheirs: true, signer, order: steps && inception ? 'inception' : 'unknown' }
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

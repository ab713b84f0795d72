/**
 * The rules of the chain (workers/docs/pages/developer/chain.md): what a block is, what its signature covers, how it is
 * hashed, and which block it may follow. Server, SDK and auditors all run this file.
 *
 * No clock and no storage. A block's `timestamp` is its signer's claim and is not verified here.
 *
 * @module
 */

import * as z from 'zod'
import { mlDsa65 } from '#pqc'
import { base64urlSchema, bytesOf, encodeBase64url } from '../base/base64url.ts'
import { hashHex, hashHexAsync, hashSchema } from '../base/hash.ts'
import { didOf, publicKeySchema, scopeSchema, signatureSchema, userIdOfKey } from '../base/identity.ts'
import { jcsBytes } from '../base/jcs.ts'
import { SIGNATURE_ALG } from '../base/labels.ts'
import { pure } from '../base/pure.ts'
import { err, ok, type Result } from '../base/result.ts'

export const GENESIS_PREVIOUS_HASH = /* @__PURE__ */ pure(() => '0'.repeat(96))
export const GENESIS_CONTENT_TYPE = 'application/vnd.svc.genesis+json'

/** 15 digits stay below 2^53, so an index or a time is also exact as a number. No leading zeros: one spelling each. */
const decimalSchema = /* @__PURE__ */ pure(() =>
  z.string().regex(/^(0|[1-9][0-9]{0,14})$/, 'must be a decimal integer of at most 15 digits'),
)

const profile = <V extends 2 | 3 | 4>(version: V) => ({
  index: decimalSchema.meta({ description: 'Position in the chain, decimal', example: '1' }),
  timestamp: decimalSchema.meta({ description: 'The signer’s clock, epoch ms, decimal', example: '1790000000000' }),
  previousHash: hashSchema,
  dataHash: hashSchema,
  metadataHash: hashSchema,
  signature: signatureSchema.optional(),
  signatureAlg: z.literal(SIGNATURE_ALG),
  ownerPublicKey: publicKeySchema,
  contentType: z
    .string()
    .regex(/^[!-~]+(?: [!-~]+)*$/, 'must be printable ASCII')
    .max(255)
    .optional(),
  version: z.literal(version),
})

/** Profiles 2 and 3 have the same members; profile 4 adds the permanent scope and the root epoch. */
export const chainBlockV2Schema = /* @__PURE__ */ pure(() => z.strictObject(profile(2)).meta({ id: 'ChainBlockV2' }))
export const chainBlockV3Schema = /* @__PURE__ */ pure(() => z.strictObject(profile(3)).meta({ id: 'ChainBlockV3' }))
export const chainBlockV4Schema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      ...profile(4),
      scope: scopeSchema,
      epoch: z.int().min(0).meta({ description: 'Root epoch of the signing key; 0 at genesis' }),
    })
    .meta({ id: 'ChainBlockV4' }),
)
export const chainBlockSchema = /* @__PURE__ */ pure(() =>
  z
    .discriminatedUnion('version', [chainBlockV2Schema, chainBlockV3Schema, chainBlockV4Schema])
    .meta({ id: 'ChainBlock', description: 'One block in the profile it declares; profiles are never converted' }),
)
export type ChainBlock = z.infer<typeof chainBlockSchema>
export type SignedBlock = ChainBlock & { readonly signature: string }
export type ChainBlockV4 = z.infer<typeof chainBlockV4Schema>
export type GenesisBlock = ChainBlockV4

/** A payload travels in the JSON body: the 256 KiB body cap minus 8 KiB for the block leaves 180 KiB of raw bytes. */
export const MAX_PAYLOAD_BYTES = 180 * 1024
const payload = /* @__PURE__ */ pure(() => ({ payloadB64u: base64urlSchema(MAX_PAYLOAD_BYTES).optional() }))
export const appendRequestSchema = /* @__PURE__ */ pure(() =>
  z
    .discriminatedUnion('version', [
      chainBlockV2Schema.extend(payload).meta({ id: 'AppendV2' }),
      chainBlockV3Schema.extend(payload).meta({ id: 'AppendV3' }),
      chainBlockV4Schema.extend(payload).meta({ id: 'AppendV4' }),
    ])
    .meta({
      id: 'AppendRequest',
      description: 'A flat chain block. `payloadB64u`, if present, must hash to `dataHash`',
    }),
)

export interface ChainHead {
  readonly index: string
  readonly hash: string
}
export const chainHeadSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ index: decimalSchema, hash: hashSchema })
    .meta({ id: 'ChainHead', description: 'Index and hash of the newest block' }),
)

/** The bytes a block's signature covers: JCS of the block without `signature`. */
export function signedBytes(block: ChainBlock): Uint8Array {
  const { signature: _, ...unsigned } = block
  return jcsBytes(unsigned)
}

/** SHA3-384 over JCS of the block with `signature`. */
export function blockHash(block: SignedBlock): string {
  return hashHex(jcsBytes(block))
}

/** The same, native where the runtime has it. */
export function blockHashAsync(block: SignedBlock): Promise<string> {
  return hashHexAsync(jcsBytes(block))
}

export function isSigned(block: ChainBlock): block is SignedBlock {
  return block.signature !== undefined
}

/** A root key of an identity and the epoch it opened. */
export interface EpochKey {
  readonly epoch: number
  readonly userId: string
  readonly publicKeyB64u: string
}

/** Whether the block is signed by the key it names. The caller checks whose key that is. */
export function verifyBlockSignature(block: SignedBlock): Promise<boolean> {
  return mlDsa65.verify(bytesOf(block.ownerPublicKey), signedBytes(block), bytesOf(block.signature))
}

export async function signBlock<B extends ChainBlock>(
  block: Omit<B, 'signature'>,
  sign: (message: Uint8Array) => Promise<Uint8Array>,
): Promise<B & { readonly signature: string }> {
  const unsigned = block as unknown as B
  return { ...unsigned, signature: encodeBase64url(await sign(signedBytes(unsigned))) }
}

export type LinkFault =
  | { readonly reason: 'wrong_index'; readonly expectedIndex: string }
  | { readonly reason: 'wrong_previous'; readonly expectedHash: string }

/** Whether a block may directly follow `head`. */
export function checkLink(head: ChainHead, block: Pick<ChainBlock, 'index' | 'previousHash'>): Result<void, LinkFault> {
  const expectedIndex = String(Number(head.index) + 1)
  if (block.index !== expectedIndex) return err({ reason: 'wrong_index', expectedIndex })
  if (block.previousHash !== head.hash) return err({ reason: 'wrong_previous', expectedHash: head.hash })
  return ok(undefined)
}

/** Describes the first genesis rule the block violates, or null. The signature is checked separately. */
export function genesisFault(block: ChainBlock): string | null {
  if (block.version !== 4) return 'version must be 4'
  if (block.index !== '0') return 'index must be "0"'
  if (block.previousHash !== GENESIS_PREVIOUS_HASH) return 'previousHash must be 96 zeros'
  if (block.epoch !== 0) return 'epoch must be 0'
  if (block.contentType !== GENESIS_CONTENT_TYPE) return `contentType must be ${GENESIS_CONTENT_TYPE}`
  if (block.scope !== userIdOfKey(block.ownerPublicKey)) return 'scope must be the userId of ownerPublicKey'
  return null
}

export type ChainFault =
  | { readonly reason: 'empty' }
  | { readonly reason: 'bad_genesis'; readonly detail: string }
  | {
      readonly reason:
        | 'unsigned'
        | 'wrong_index'
        | 'wrong_previous'
        | 'wrong_owner'
        | 'wrong_scope'
        | 'wrong_epoch'
        | 'invalid_signature'
      readonly index: string
    }

/**
 * Verifies a chain incrementally, block by block, trusting only the requested DID. To accept blocks signed by a
 * rotated-in key, pass the root keys that `verifyKeyHistory` returns; otherwise only the genesis key may sign.
 * Use one instance per chain. Memory does not grow with the chain's length.
 */
export class ChainVerifier {
  readonly #expectedDid: string
  readonly #keys: readonly EpochKey[]
  #epoch = 0
  #genesis: GenesisBlock | null = null
  #head: ChainHead | null = null

  constructor(expectedDid: string, keys: readonly EpochKey[] = []) {
    this.#expectedDid = expectedDid
    this.#keys = keys
  }

  get head(): ChainHead | null {
    return this.#head
  }

  /** Verifies the next block and returns the new head, or the rule it violates. Stop after a fault. */
  async next(block: ChainBlock): Promise<Result<ChainHead, ChainFault>> {
    const { index } = block
    if (!isSigned(block)) return err({ reason: 'unsigned', index })
    const fault =
      this.#genesis && this.#head ? this.#linkFault(this.#genesis, this.#head, block) : this.#startFault(block)
    if (fault) return err(fault)
    if (!(await verifyBlockSignature(block))) return err({ reason: 'invalid_signature', index })
    const hash = await blockHashAsync(block)
    if (!this.#genesis && block.version === 4) this.#genesis = block
    this.#epoch = this.#epochOf(block) ?? 0
    this.#head = { index, hash }
    return ok(this.#head)
  }

  #startFault(block: SignedBlock): ChainFault | null {
    const detail = genesisFault(block)
    if (detail) return { reason: 'bad_genesis', detail }
    if (block.version !== 4 || didOf(block.scope) !== this.#expectedDid)
      return { reason: 'wrong_scope', index: block.index }
    return null
  }

  #linkFault(genesis: GenesisBlock, head: ChainHead, block: SignedBlock): ChainFault | null {
    const { index } = block
    const link = checkLink(head, block)
    if (!link.ok) return { reason: link.error.reason, index }
    const epoch = this.#epochOf(block)
    if (epoch === null) return { reason: 'wrong_owner', index }
    if (block.version === 4 && block.scope !== genesis.scope) return { reason: 'wrong_scope', index }
    // A superseded key may no longer sign.
    if (epoch < this.#epoch || (block.version === 4 && block.epoch !== epoch)) return { reason: 'wrong_epoch', index }
    return null
  }

  /** The epoch of the key that a block names; null if the key does not belong to this identity. */
  #epochOf({ ownerPublicKey }: ChainBlock): number | null {
    if (ownerPublicKey === this.#genesis?.ownerPublicKey) return 0
    return this.#keys.find(({ publicKeyB64u }) => publicKeyB64u === ownerPublicKey)?.epoch ?? null
  }
}

/** Verifies a whole chain from its genesis and returns its head. */
export async function verifyChain(
  blocks: Iterable<ChainBlock>,
  expectedDid: string,
  keys: readonly EpochKey[] = [],
): Promise<Result<ChainHead, ChainFault>> {
  const verifier = new ChainVerifier(expectedDid, keys)
  for (const block of blocks) {
    const next = await verifier.next(block)
    if (!next.ok) return next
  }
  return verifier.head ? ok(verifier.head) : err({ reason: 'empty' })
}

import { hashHex, hashHexAsync } from '#protocol/base/hash'
import { type Json, jcsBytes } from '#protocol/base/jcs'
import { SIGNATURE_ALG } from '#protocol/base/labels'
import {
  type ChainBlockV4,
  type ChainHead,
  chainBlockV4Schema,
  GENESIS_CONTENT_TYPE,
  GENESIS_PREVIOUS_HASH,
  type GenesisBlock,
  MAX_PAYLOAD_BYTES,
  type SignedBlock,
  signBlock,
} from '#protocol/chain/chain'
import { commitmentHash, NO_COMMITMENT } from '#protocol/chain/commitment'
import { checkForm } from '../arguments/check-form.ts'
import type { Identity } from '../identity/identity.ts'
import { signerOf } from '../identity/signing-key.ts'

export interface NewBlock {
  /** At most 184,320 bytes. The block carries its hash; the service keeps the bytes. */
  readonly payload?: Uint8Array
  /** Printable ASCII, at most 255 characters. */
  readonly contentType?: string
  /** Not sent; the block carries the SHA3-384 of its canonical JSON. */
  readonly metadata?: { readonly [key: string]: Json }
}

/** The first block of an identity, signed. */
export function signGenesis(identity: Identity, now: number, commitment = NO_COMMITMENT): Promise<GenesisBlock> {
  const { scope, publicKeyB64u: ownerPublicKey } = identity
  return signBlock<GenesisBlock>(
    {
      index: '0',
      timestamp: String(now),
      previousHash: GENESIS_PREVIOUS_HASH,
      dataHash: hashHex(jcsBytes({ scope })),
      metadataHash: commitmentHash(commitment),
      signatureAlg: SIGNATURE_ALG,
      ownerPublicKey,
      contentType: GENESIS_CONTENT_TYPE,
      version: 4,
      scope,
      epoch: 0,
    },
    signerOf(identity, 'block'),
  )
}

/** A block of profile 4 that follows `head`, signed. */
export async function signNext(
  identity: Identity,
  { head, now }: { readonly head: ChainHead; readonly now: number },
  content: NewBlock,
): Promise<SignedBlock> {
  const { scope, epoch, publicKeyB64u: ownerPublicKey } = identity
  return signBlock<ChainBlockV4>(
    {
      index: String(Number(head.index) + 1),
      timestamp: String(now),
      previousHash: head.hash,
      dataHash: await hashHexAsync(content.payload ?? new Uint8Array()),
      metadataHash: hashHex(jcsBytes(content.metadata ?? {})),
      signatureAlg: SIGNATURE_ALG,
      ownerPublicKey,
      ...(content.contentType === undefined ? {} : { contentType: content.contentType }),
      version: 4,
      scope,
      epoch,
    },
    signerOf(identity, 'block'),
  )
}

/** The members of a block that its content determines. Throws before anything is signed that core would refuse. */
export async function checkContent({ payload, contentType, metadata }: NewBlock) {
  if (payload && payload.length > MAX_PAYLOAD_BYTES) throw new RangeError('A payload can have at most 180 KiB')
  return [
    ['dataHash', await hashHexAsync(payload ?? new Uint8Array())],
    ['metadataHash', hashHex(jcsBytes(metadata ?? {}))],
    [
      'contentType',
      checkForm('chain.append', 'content.contentType', chainBlockV4Schema.shape.contentType, contentType),
    ],
  ] as const
}

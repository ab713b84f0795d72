/** Blocks for tests: a genesis and valid successors, signed by keys from fixed seeds. */
import { mlDsa65 } from '@svc/pqc'
import { encodeBase64url } from '../base/base64url.ts'
import { hashTextHex } from '../base/hash.ts'
import { didOf, userIdOf } from '../base/identity.ts'
import {
  blockHash,
  type ChainBlock,
  type ChainHead,
  GENESIS_CONTENT_TYPE,
  GENESIS_PREVIOUS_HASH,
  type SignedBlock,
  signBlock,
} from './chain.ts'

export interface Signer {
  readonly did: string
  readonly scope: string
  readonly ownerPublicKey: string
  readonly sign: (message: Uint8Array) => Promise<Uint8Array>
}

export async function signerOf(seedByte: number): Promise<Signer> {
  const seed = new Uint8Array(32).fill(seedByte)
  const publicKey = await mlDsa65.publicKeyOf(seed)
  const scope = userIdOf(publicKey)
  return {
    did: didOf(scope),
    scope,
    ownerPublicKey: encodeBase64url(publicKey),
    sign: (message) => mlDsa65.sign(seed, message),
  }
}

export const headOf = (block: SignedBlock): ChainHead => ({ index: block.index, hash: blockHash(block) })

/** The block with changed members, re-signed by the given signer. */
export function signedBy(signer: Signer, block: ChainBlock, members: object = {}): Promise<SignedBlock> {
  const { signature: _, ...unsigned } = { ...block, ...members }
  return signBlock<ChainBlock>(unsigned, signer.sign)
}

export function genesisOf(signer: Signer): Promise<SignedBlock> {
  const { ownerPublicKey, scope } = signer
  return signedBy(signer, {
    index: '0',
    timestamp: '1790000000000',
    previousHash: GENESIS_PREVIOUS_HASH,
    dataHash: hashTextHex(scope),
    metadataHash: hashTextHex('{}'),
    signatureAlg: 'ml-dsa-65',
    ownerPublicKey,
    contentType: GENESIS_CONTENT_TYPE,
    version: 4,
    scope,
    epoch: 0,
  })
}

export function blockAfter(signer: Signer, head: ChainHead, version: 2 | 3 | 4): Promise<SignedBlock> {
  const { ownerPublicKey, scope } = signer
  const index = String(Number(head.index) + 1)
  const common = {
    index,
    timestamp: '1790000000001',
    previousHash: head.hash,
    dataHash: hashTextHex(`data ${index}`),
    metadataHash: hashTextHex(`metadata ${index}`),
    signatureAlg: 'ml-dsa-65' as const,
    ownerPublicKey,
    contentType: 'text/plain; charset=utf-8',
  }
  return signedBy(signer, version === 4 ? { ...common, version, scope, epoch: 0 } : { ...common, version })
}

/** A chain of genesis and one block per given version. */
export async function chainOf(signer: Signer, versions: readonly (2 | 3 | 4)[]): Promise<SignedBlock[]> {
  const blocks = [await genesisOf(signer)]
  for (const version of versions) blocks.push(await blockAfter(signer, headOf(blocks.at(-1)!), version))
  return blocks
}

/**
 * A block as stored: every member of its declared profile, with the owner key by reference and the signature as bytes.
 * A key and a signature in base64url take 7 kB of JSON; a stored block takes 3.6 kB.
 *
 * @module
 */
import { bytesOf, encodeBase64url } from '@svc/protocol/base/base64url'
import { SIGNATURE_ALG } from '@svc/protocol/base/labels'
import type { ChainBlock, SignedBlock } from '@svc/protocol/chain/chain'

export interface ChainRecord {
  readonly index: number
  readonly hash: string
  readonly version: 2 | 3 | 4
  readonly timestamp: string
  readonly previousHash: string
  readonly dataHash: string
  readonly metadataHash: string
  readonly signature: Uint8Array
  readonly contentType: string | null
  /** Epoch of the root key that signed. */
  readonly keyEpoch: number
}

export function recordOf(block: SignedBlock, hash: string, keyEpoch: number): ChainRecord {
  return {
    index: Number(block.index),
    hash,
    version: block.version,
    timestamp: block.timestamp,
    previousHash: block.previousHash,
    dataHash: block.dataHash,
    metadataHash: block.metadataHash,
    signature: bytesOf(block.signature),
    contentType: block.contentType ?? null,
    keyEpoch,
  }
}

/** The block as signed, identical in its JCS form to the byte. */
export function blockOf(record: ChainRecord, scope: string, ownerPublicKey: string): ChainBlock {
  const { version, contentType } = record
  const common = {
    index: String(record.index),
    timestamp: record.timestamp,
    previousHash: record.previousHash,
    dataHash: record.dataHash,
    metadataHash: record.metadataHash,
    signature: encodeBase64url(record.signature),
    signatureAlg: SIGNATURE_ALG,
    ownerPublicKey,
    ...(contentType === null ? {} : { contentType }),
  } as const
  return version === 4 ? { ...common, version, scope, epoch: record.keyEpoch } : { ...common, version }
}

import { encodeQR } from 'qr'
import { decodeBase64url, encodeBase64url } from '#protocol/base/base64url'
import { hashHex } from '#protocol/base/hash'
import { checkCall } from '../../arguments/check.ts'
import { Identity, type Lineage } from '../../identity/identity.ts'
import { seedOf, wordsIn, wordsOf } from './words.ts'
import { RecoveryWordsError } from './words-error.ts'

/** The words of both seeds. */
export interface IdentityWords {
  /** 24 words: the signing key. */
  readonly signing: string
  /** 24 words: the key that notes and messages are encrypted to. */
  readonly kem: string
}

/** What is printed or written down, to restore an identity without any file. All of it is secret. */
export interface PrintedKey {
  readonly did: string
  readonly epoch: number
  /** 96 hex characters. It is needed with the words of a key from a rotation, because the DID does not contain all of it. */
  readonly scope: string
  readonly words: IdentityWords
  /** Everything as one line of text, which the QR code contains: `identityOfCode` reads it. */
  readonly code: string
  /** The QR code of `code` as SVG. */
  readonly svg: string
}

const CODE = /^svc-recovery:1:(\d{1,9}):([0-9a-f]{96}):([A-Za-z0-9_-]{86}):([0-9a-f]{16})$/
const CODE_SEED_BYTES = 64

/** Writes an identity down. Throws a `ConfigurationError` if a signer keeps its key. */
export function printedKey(identity: Identity): PrintedKey {
  checkCall('printedKey', [identity], ['identity'])
  const { did, epoch, scope } = identity
  const { signing, kem } = identity.revealSeeds()
  const text = `svc-recovery:1:${epoch}:${scope}:${encodeBase64url(new Uint8Array([...signing, ...kem]))}`
  const code = `${text}:${checksumOf(text)}`
  const words = { signing: wordsOf(signing), kem: wordsOf(kem, 'kem') }
  return { did, epoch, scope, words, code, svg: encodeQR(code, 'svg', { ecc: 'medium' }) }
}

/**
 * The identity again, from its words. Pass `lineage` if its key came from a rotation. Without `kem` it gets a new key
 * agreement: what was encrypted to the earlier one stays unreadable. Throws a `RecoveryWordsError`.
 */
export async function identityOfWords(
  words: Pick<IdentityWords, 'signing'> & Partial<IdentityWords>,
  lineage?: Lineage,
): Promise<Identity> {
  checkCall('identityOfWords', [words, lineage], [['words', { signing: 1, kem: 0 }], 'lineage?'])
  const { signing, kem } = words
  const kemSeed = kem === undefined ? crypto.getRandomValues(new Uint8Array(32)) : seedOf(kem, 'kem')
  return Identity.fromSeeds({ signing: seedOf(signing), kem: kemSeed }, lineage)
}

/** The identity again, from the code of a sheet. Throws a `RecoveryWordsError` if it was not read correctly. */
export async function identityOfCode(code: string): Promise<Identity> {
  checkCall('identityOfCode', [code], ['code'])
  const [, epoch = '', scope = '', seedsB64u = '', checksum = ''] = CODE.exec(code.trim()) ?? []
  const seeds = decodeBase64url(seedsB64u)
  if (seeds?.length !== CODE_SEED_BYTES || checksumOf(code.trim().slice(0, -checksum.length - 1)) !== checksum)
    throw new RecoveryWordsError('malformed', 'This is not the code of a recovery sheet, or it was modified')
  const lineage = epoch === '0' ? undefined : { scope, epoch: Number(epoch) }
  const identity = await Identity.fromSeeds({ signing: seeds.subarray(0, 32), kem: seeds.subarray(32) }, lineage)
  if (identity.scope !== scope)
    throw new RecoveryWordsError('malformed', 'The scope in the code does not belong to its key')
  return identity
}

/**
 * The identity again, from what a person typed or a camera read: the code of a sheet, or the 24 words of the signing key,
 * also with their numbers. Throws a `RecoveryWordsError`.
 */
export async function identityOfPrintedKey(text: string, lineage?: Lineage): Promise<Identity> {
  checkCall('identityOfPrintedKey', [text, lineage], ['text', 'lineage?'])
  if (text.trim().startsWith('svc-recovery:')) return identityOfCode(text)
  return identityOfWords({ signing: wordsIn(text) }, lineage)
}

function checksumOf(text: string): string {
  return hashHex(new TextEncoder().encode(text)).slice(0, 16)
}

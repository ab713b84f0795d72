/**
 * AES-GCM does not commit to its key: the writer of a note can make a ciphertext that opens under two keys. With the keys
 * wrapped for different readers, one signed record would tell them different things.
 */
import { ecb } from '@noble/ciphers/aes.js'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { hashHex } from '@svc/protocol/base/hash'
import { statementHash } from '@svc/protocol/base/statement'
import { noteKeyHash } from '@svc/protocol/notes/data-key'
import { noteFault, noteSubmissionSchema } from '@svc/protocol/notes/notes'
import { describe, expect, it } from 'vitest'
import { Identity } from '../src/identity/identity.ts'
import { decrypt, unwrapKey, wrapKey } from '../src/notes/cipher.ts'
import { NoteRecords } from '../src/notes/record.ts'
import { Transport } from '../src/transport/transport.ts'
import { REALM } from './realm.ts'

const owner = await Identity.create()
const device = await Identity.create()
const KEYS = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)] as const
const TEXTS = ['900 a month, all', '9000 a month all'] as const
const NONCE = new Uint8Array(12).fill(3)

const numberOf = (block: Uint8Array) => block.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n)
const blockOf = (value: bigint) =>
  Uint8Array.from({ length: 16 }, (_, i) => Number((value >> BigInt(120 - 8 * i)) & 255n))
const blocksOf = (bytes: Uint8Array) =>
  Array.from({ length: Math.ceil(bytes.length / 16) }, (_, i) => {
    const block = new Uint8Array(16)
    block.set(bytes.subarray(i * 16, i * 16 + 16))
    return numberOf(block)
  })

/** The product in the field of GHASH, NIST SP 800-38D section 6.3. */
function times(x: bigint, y: bigint): bigint {
  let [product, v] = [0n, y]
  for (let i = 127n; i >= 0n; i--) {
    if ((x >> i) & 1n) product ^= v
    v = v & 1n ? (v >> 1n) ^ (0xe1n << 120n) : v >> 1n
  }
  return product
}

/** 1 / x is x to the power of 2^128 - 2. */
function inverse(x: bigint): bigint {
  let [product, square] = [1n << 127n, x]
  for (let i = 1; i < 128; i++) {
    square = times(square, square)
    product = times(product, square)
  }
  return product
}

const encryptBlock = (key: Uint8Array, block: bigint) =>
  numberOf(ecb(key, { disablePadding: true }).encrypt(blockOf(block)))
const counter = (n: bigint) => numberOf(new Uint8Array([...NONCE, 0, 0, 0, 0])) | n

/** The tag of these blocks, with this additional data, under a key. */
function tagOf(key: Uint8Array, aad: Uint8Array, blocks: readonly bigint[]): bigint {
  const h = encryptBlock(key, 0n)
  const lengths = (BigInt(aad.length * 8) << 64n) | BigInt(blocks.length * 128)
  const hash = [...blocksOf(aad), ...blocks, lengths].reduce((sum, block) => times(sum ^ block, h), 0n)
  return hash ^ encryptBlock(key, counter(1n))
}

/** Sixteen blocks: the first is the one text under the first key, the second the other under the second key. */
function ciphertextForBoth(aad: Uint8Array): Uint8Array {
  const blocks = [...TEXTS.entries()].map(
    ([i, text]) => numberOf(new TextEncoder().encode(text)) ^ encryptBlock(KEYS[i]!, counter(BigInt(i + 2))),
  )
  while (blocks.length < 16) blocks.push(0n)
  // The last block makes the tags equal: it is multiplied by the square of the hash key, once for each key.
  const [one, other] = KEYS.map((key) => tagOf(key, aad, blocks)) as [bigint, bigint]
  const squares = KEYS.map((key) => encryptBlock(key, 0n)).map((h) => times(h, h)) as [bigint, bigint]
  blocks[15] = times(one ^ other, inverse(squares[0] ^ squares[1]))
  return new Uint8Array([...blocks, tagOf(KEYS[0], aad, blocks)].flatMap((block) => [...blockOf(block)]))
}

/** A note that its schema accepts, whose data key is one for the owner and another one for the device. */
async function forged(keyHash: string) {
  const records = new NoteRecords(
    owner,
    { name: 'tests', version: '1' },
    {
      keyId: owner.userId,
      own: [owner],
      readers: async () => [owner],
      known: async () => null,
      check: async () => {},
    } as never,
    new Transport({ realm: REALM }),
  )
  const facts = { noteId: 'n1', operation: 'create', follows: null, ext: undefined, after: null } as const
  const honest = await records.seal({ title: '', body: '', tags: [], attachments: [] }, facts)
  const aad = new Uint8Array(Buffer.from(honest.statement.aadB64u, 'base64url'))
  const ciphertext = ciphertextForBoth(aad)
  const place = { realm: REALM, did: owner.did, noteId: 'n1' }
  const wrappedKeys = await Promise.all([wrapKey(KEYS[0], owner, place), wrapKey(KEYS[1], device, place)])
  const statement = {
    ...honest.statement,
    nonceB64u: encodeBase64url(NONCE),
    cipherHash: hashHex(ciphertext),
    keyHash,
    wrappedKeys,
  }
  return {
    statement,
    ciphertext,
    aad,
    submission: { ...honest, statement, ciphertextB64u: encodeBase64url(ciphertext) },
  }
}

describe('a ciphertext that opens under two keys', () => {
  it('has two texts', async () => {
    const { ciphertext, aad, submission } = await forged(noteKeyHash(KEYS[0]))
    const texts = await Promise.all(KEYS.map((key) => decrypt({ nonce: NONCE, ciphertext }, key, aad)))
    expect(texts.map((text, i) => new TextDecoder().decode(text.slice(16 * i, 16 * i + 16)))).toEqual(TEXTS)
    expect(noteSubmissionSchema.safeParse(submission).success).toBe(true)
    expect(noteFault(submission)).toBeNull()
    expect(statementHash(submission.statement)).toMatch(/^[0-9a-f]{96}$/)
  })

  it.each([0, 1] as const)('has one reader at most: the one whose key the statement names, %i', async (named) => {
    const { statement } = await forged(noteKeyHash(KEYS[named]))
    const readers = [owner, device] as const
    expect(await unwrapKey(statement, [readers[named]])).toEqual(KEYS[named])
    await expect(unwrapKey(statement, [readers[named === 0 ? 1 : 0]])).rejects.toMatchObject({
      name: 'VerificationError',
      subject: 'note',
      reason: 'mismatch',
    })
  })
})

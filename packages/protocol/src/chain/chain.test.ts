import { describe, expect, it } from 'vitest'
import { encodeBase64url } from '../base/base64url.ts'
import { hashHex, hashTextHex } from '../base/hash.ts'
import { jcsBytes } from '../base/jcs.ts'
import { genesisOf, signedBy, signerOf } from './chain.fixture.ts'
import {
  blockHash,
  type ChainBlock,
  checkLink,
  GENESIS_PREVIOUS_HASH,
  genesisFault,
  isSigned,
  signedBytes,
  verifyBlockSignature,
} from './chain.ts'

const alice = await signerOf(1)
const mallory = await signerOf(2)
const genesis = await genesisOf(alice)

describe('genesisFault', () => {
  it('is null for a genesis block', () => {
    expect(genesisFault(genesis)).toBeNull()
  })

  it.each<[string, object]>([
    ['version must be 4', { version: 3 }],
    ['version must be 4', { version: 2 }],
    ['index must be "0"', { index: '1' }],
    ['previousHash must be 96 zeros', { previousHash: `${'0'.repeat(95)}1` }],
    ['epoch must be 0', { epoch: 1 }],
    ['contentType must be application/vnd.svc.genesis+json', { contentType: 'application/json' }],
    ['contentType must be application/vnd.svc.genesis+json', { contentType: undefined }],
    ['scope must be the userId of ownerPublicKey', { scope: mallory.scope }],
    ['scope must be the userId of ownerPublicKey', { ownerPublicKey: mallory.ownerPublicKey }],
  ])('returns “%s” for %j', (fault, members) => {
    expect(genesisFault({ ...genesis, ...members })).toBe(fault)
  })

  it('ignores timestamp, data, metadata and signature, which are free or checked separately', () => {
    const free = { timestamp: '0', dataHash: 'a7'.repeat(48), metadataHash: 'a7'.repeat(48), signature: undefined }
    expect(genesisFault({ ...genesis, ...free })).toBeNull()
  })
})

describe('checkLink', () => {
  const head = { index: '9', hash: 'a7'.repeat(48) }

  it('accepts the next index with the head’s hash', () => {
    expect(checkLink(head, { index: '10', previousHash: head.hash })).toEqual({ ok: true, value: undefined })
  })

  it.each(['9', '11', '0', '-1'])('refuses index %s and returns the expected one', (index) => {
    expect(checkLink(head, { index, previousHash: head.hash })).toEqual({
      ok: false,
      error: { reason: 'wrong_index', expectedIndex: '10' },
    })
  })

  it('refuses another previous hash and returns the expected one', () => {
    expect(checkLink(head, { index: '10', previousHash: GENESIS_PREVIOUS_HASH })).toEqual({
      ok: false,
      error: { reason: 'wrong_previous', expectedHash: head.hash },
    })
  })

  it('counts exactly up to the last index of 15 digits', () => {
    const last = { index: '999999999999998', hash: head.hash }
    expect(checkLink(last, { index: '999999999999999', previousHash: head.hash }).ok).toBe(true)
  })
})

describe('signedBytes and blockHash', () => {
  // The values are meaningless; only what is covered, and in which form, matters here.
  const block = {
    version: 4,
    signature: 'c2ln',
    index: '1',
    timestamp: '1790000000000',
    signatureAlg: 'ml-dsa-65',
    ownerPublicKey: 'b3duZXI',
    scope: '3c',
    epoch: 0,
    previousHash: 'aa',
    metadataHash: 'cc',
    dataHash: 'bb',
    contentType: 'text/plain',
  } as const
  const head = '{"contentType":"text/plain","dataHash":"bb","epoch":0,"index":"1","metadataHash":"cc",'
  const middle = '"ownerPublicKey":"b3duZXI","previousHash":"aa","scope":"3c",'
  const tail = '"signatureAlg":"ml-dsa-65","timestamp":"1790000000000","version":4}'

  it('sign the canonical JSON without the signature', () => {
    expect(new TextDecoder().decode(signedBytes(block))).toBe(head + middle + tail)
    const { signature: _, ...unsigned } = block
    expect(signedBytes(unsigned)).toEqual(signedBytes(block))
  })

  it('hash the canonical JSON with the signature', () => {
    expect(blockHash(block)).toBe(hashTextHex(`${head}${middle}"signature":"c2ln",${tail}`))
    expect(blockHash(block)).not.toBe(hashHex(signedBytes(block)))
  })

  it('omit an absent contentType', () => {
    const { contentType: _, ...bare } = block
    expect(blockHash(bare)).toBe(hashTextHex(`{${head.slice(28)}${middle}"signature":"c2ln",${tail}`))
    expect(blockHash({ ...bare, contentType: undefined })).toBe(blockHash(bare))
  })
})

describe('verifyBlockSignature', () => {
  it('accepts a block signed by its own key', async () => {
    expect(await verifyBlockSignature(genesis)).toBe(true)
  })

  it('refuses a block signed by another key, whichever key it names', async () => {
    const forged = await signedBy(mallory, genesis)
    expect(await verifyBlockSignature(forged)).toBe(false)
    expect(await verifyBlockSignature({ ...genesis, ownerPublicKey: mallory.ownerPublicKey })).toBe(false)
  })

  it('refuses a signature over a block that includes a signature', async () => {
    const signature = encodeBase64url(await alice.sign(jcsBytes(genesis)))
    expect(await verifyBlockSignature({ ...genesis, signature })).toBe(false)
  })

  it('does not treat an unsigned block as signed', () => {
    const { signature: _, ...unsigned } = genesis
    expect(isSigned(unsigned as ChainBlock)).toBe(false)
    expect(isSigned(genesis)).toBe(true)
  })
})

import { describe, expect, it } from 'vitest'
import { addReceiptSchema, assetCoreSchema, mintAssetSchema, transferAssetSchema } from './assets.ts'

const assetId = `asset:sha3-384:${'0a'.repeat(48)}`
const did = `did:svc:${'aZ0_-xyz'.repeat(4)}`
const common = {
  userId: '3c'.repeat(48),
  assetId,
  timestamp: '2026-10-23T10:00:00Z',
  app: { name: 'studio', version: '1.2.0' },
}
const mintHeader = { ...common, action: 'asset/mint' as const }
const transferHeader = { ...common, action: 'asset/transfer' as const, to: did }
const cid = `bafkrei${'a2'.repeat(26)}`
const asset = { assetId, media: { mime: 'image/png', bytes: 12, cid } }
const attestation = { alg: 'ml-dsa-65', publicKeyB64u: 'AAAA', signatureB64u: 'AAAA' }
const attestations = (length: number) => Array.from({ length }, () => attestation)

const takesAsset = (members: object) => assetCoreSchema.safeParse({ ...asset, ...members }).success
const takesMedia = (members: object) => takesAsset({ media: { ...asset.media, ...members } })

describe('assetCoreSchema', () => {
  it('accepts an asset with and without its optional members', () => {
    const full = {
      ...asset,
      royalty: { receiver: did, bps: 250 },
      perceptual: { algo: 'pdq', hashes: ['0f'] },
      metadataHash: 'a7'.repeat(48),
    }
    expect(assetCoreSchema.parse(asset)).toEqual(asset)
    expect(assetCoreSchema.parse(full)).toEqual(full)
  })

  it('requires an id and media', () => {
    expect(takesAsset({ assetId: undefined })).toBe(false)
    expect(takesAsset({ media: undefined })).toBe(false)
  })

  it.each(['title', 'description', 'metadata', 'name', 'owner'])('rejects a plaintext %s', (member) => {
    expect(takesAsset({ [member]: 'x' })).toBe(false)
    expect(takesMedia({ [member]: 'x' })).toBe(false)
    expect(takesAsset({ royalty: { receiver: did, bps: 1, [member]: 'x' } })).toBe(false)
    expect(takesAsset({ perceptual: { algo: 'pdq', hashes: [], [member]: 'x' } })).toBe(false)
  })

  it('requires only the type of the media', () => {
    expect(takesMedia({ mime: undefined })).toBe(false)
    expect(takesMedia({ bytes: undefined })).toBe(true)
    expect(takesMedia({ cid: undefined })).toBe(true)
    expect(assetCoreSchema.parse({ assetId, media: { mime: 'image/png' } }).media).toEqual({ mime: 'image/png' })
  })

  it.each(['a/b', 'image/svg+xml', 'application/vnd.ms-excel', 'model/gltf-binary', `a/${'b'.repeat(253)}`])(
    'accepts the mime %s',
    (mime) => {
      expect(takesMedia({ mime })).toBe(true)
    },
  )

  it.each([
    '',
    'a/',
    '/b',
    'ab',
    'image',
    'Image/png',
    'image/PNG',
    'image/png; q=1',
    'image//png',
    'a/b/c',
    'a/b ',
    'a/b\n',
    'ä/b',
    '-a/b',
    `a/${'b'.repeat(254)}`,
    null,
  ])('refuses the mime %j', (mime) => {
    expect(takesMedia({ mime })).toBe(false)
  })

  it.each([0, 1, Number.MAX_SAFE_INTEGER])('accepts %i bytes', (bytes) => {
    expect(takesMedia({ bytes })).toBe(true)
  })

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '12', null])('refuses %j bytes', (bytes) => {
    expect(takesMedia({ bytes })).toBe(false)
  })

  it.each([
    ['base58 of 46 characters', `Qm${'1'.repeat(44)}`],
    ['base32 of 12 characters', `baf${'a'.repeat(9)}`],
    ['base32 of 1,024 characters', `baf${'7'.repeat(1021)}`],
    ['base32 of dag-pb', `bafybei${'z5'.repeat(26)}`],
  ])('accepts a cid in %s', (_, text) => {
    expect(takesMedia({ cid: text })).toBe(true)
  })

  it.each([
    ['base58 of 45 characters', `Qm${'1'.repeat(43)}`],
    ['base58 of 47 characters', `Qm${'1'.repeat(45)}`],
    ['a 0', `Qm${'0'.repeat(44)}`],
    ['an O', `Qm${'O'.repeat(44)}`],
    ['an I', `Qm${'I'.repeat(44)}`],
    ['an l', `Qm${'l'.repeat(44)}`],
    ['base32 of 11 characters', `baf${'a'.repeat(8)}`],
    ['base32 of 1,025 characters', `baf${'a'.repeat(1022)}`],
    ['an 8', `baf${'8'.repeat(52)}`],
    ['a 1', `baf${'1'.repeat(52)}`],
    ['uppercase', cid.toUpperCase()],
    ['another base', `zb2rh${'a'.repeat(44)}`],
    ['a path', `${cid}/x`],
    ['a scheme', `ipfs://${cid}`],
    ['nothing', ''],
    ['null', null],
  ])('refuses a cid with %s', (_, text) => {
    expect(takesMedia({ cid: text })).toBe(false)
  })

  it.each([`0x${'0f'.repeat(20)}`, did])('accepts the royalty receiver %s', (receiver) => {
    expect(takesAsset({ royalty: { receiver, bps: 0 } })).toBe(true)
    expect(takesAsset({ royalty: { receiver, bps: 10_000 } })).toBe(true)
    for (const bps of [-1, 10_001, 0.5, '250', null, undefined])
      expect(takesAsset({ royalty: { receiver, bps } })).toBe(false)
  })

  it.each([
    undefined,
    '',
    `0x${'0F'.repeat(20)}`,
    `0x${'0f'.repeat(19)}`,
    `0x${'0f'.repeat(21)}`,
    `0X${'0f'.repeat(20)}`,
    '0f'.repeat(20),
    `${did}A`,
    did.replace('svc', 'key'),
  ])('refuses the royalty receiver %s', (receiver) => {
    expect(takesAsset({ royalty: { receiver, bps: 0 } })).toBe(false)
  })

  it.each(['phash', 'dhash', 'pdq', 'tmk-pdqf-v1'])('accepts up to 64 perceptual hashes by %s', (algo) => {
    const hashes = Array.from({ length: 65 }, (_, i) => i.toString(16))
    expect(takesAsset({ perceptual: { algo, hashes: [] } })).toBe(true)
    expect(takesAsset({ perceptual: { algo, hashes: hashes.slice(1) } })).toBe(true)
    expect(takesAsset({ perceptual: { algo, hashes } })).toBe(false)
    expect(takesAsset({ perceptual: { algo } })).toBe(false)
  })

  it.each([undefined, '', 'PDQ', 'ahash', 'tmk-pdqf-v2'])('refuses perceptual hashes by %s', (algo) => {
    expect(takesAsset({ perceptual: { algo, hashes: ['0f'] } })).toBe(false)
  })

  it.each(['phash', 'dhash', 'pdq', 'tmk-pdqf-v1'])(
    'accepts perceptual hashes of 1 to 16,384 characters by %s',
    (algo) => {
      for (const [length, isAccepted] of [
        [1, true],
        [1_025, true],
        [16_384, true],
        [16_385, false],
      ] as const) {
        expect(takesAsset({ perceptual: { algo, hashes: ['a'.repeat(length)] } })).toBe(isAccepted)
      }
    },
  )

  it.each(['', '0F', 'xyz', '0x0f', '0f ', 15, null])('refuses the perceptual hash %j', (hash) => {
    expect(takesAsset({ perceptual: { algo: 'pdq', hashes: ['0f', hash] } })).toBe(false)
  })

  it.each(['', 'a7'.repeat(47), 'a7'.repeat(49), 'A7'.repeat(48), 'g7'.repeat(48), null])(
    'refuses the metadataHash %j',
    (metadataHash) => {
      expect(takesAsset({ metadataHash })).toBe(false)
    },
  )
})

describe('requests', () => {
  const mint = { header: mintHeader, asset }
  const transfer = { header: transferHeader }
  const takesMint = (members: object) => mintAssetSchema.safeParse({ ...mint, ...members }).success
  const takesTransfer = (members: object) => transferAssetSchema.safeParse({ ...transfer, ...members }).success

  it('accept 0 to 64 attestations', () => {
    for (const takes of [takesMint, takesTransfer]) {
      expect(takes({})).toBe(true)
      expect(takes({ attestations: [] })).toBe(true)
      expect(takes({ attestations: attestations(64) })).toBe(true)
      expect(takes({ attestations: attestations(65) })).toBe(false)
      expect(takes({ attestations: [{ ...attestation, note: 'x' }] })).toBe(false)
      expect(takes({ attestations: null })).toBe(false)
    }
  })

  it('reject the other’s header and other members', () => {
    expect(takesMint({ header: transferHeader })).toBe(false)
    expect(takesMint({ asset: undefined })).toBe(false)
    expect(takesMint({ owner: did })).toBe(false)
    expect(takesTransfer({ header: mintHeader })).toBe(false)
    expect(takesTransfer({ asset })).toBe(false)
  })

  it('accept a receipt without a time', () => {
    const receipt = { standard: 'erc721', contract: `0x${'0f'.repeat(20)}`, tokenId: '7' }
    expect(addReceiptSchema.safeParse(receipt).success).toBe(true)
    expect(addReceiptSchema.safeParse({ ...receipt, mappedAt: '2026-10-23T10:00:00Z' }).success).toBe(false)
  })
})

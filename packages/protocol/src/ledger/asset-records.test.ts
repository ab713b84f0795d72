import { describe, expect, it } from 'vitest'
import {
  assetExportSchema,
  assetHistorySchema,
  assetReceiptSchema,
  assetRecordSchema,
  assetTransferEventSchema,
  receiptsSchema,
} from './assets.ts'

const assetId = `asset:sha3-384:${'0a'.repeat(48)}`
const did = `did:svc:${'aZ0_-xyz'.repeat(4)}`
const common = {
  userId: '3c'.repeat(48),
  assetId,
  timestamp: '2026-10-23T10:00:00Z',
  app: { name: 'studio', version: '1.2.0' },
}
const attestation = { alg: 'ml-dsa-65', publicKeyB64u: 'AAAA', signatureB64u: 'AAAA' }
const event = {
  header: { ...common, action: 'asset/transfer', to: did },
  attestations: [attestation],
  previousOwner: did,
  newOwner: did,
  occurredAt: '2026-10-23T10:00:00Z',
}
const receipt = {
  standard: 'erc721',
  contract: `0x${'0f'.repeat(20)}`,
  tokenId: '7',
  mappedAt: '2026-10-23T10:00:00Z',
}
const record = {
  header: { ...common, action: 'asset/mint' },
  asset: { assetId, media: { mime: 'image/png', bytes: 12, cid: `bafkrei${'a2'.repeat(26)}` } },
  attestations: [],
  owner: did,
  createdAt: '2026-10-23T10:00:00Z',
  updatedAt: '2026-10-23T10:00:00Z',
}
const times = <T>(length: number, value: T): T[] => Array.from({ length }, () => value)

describe('assetRecordSchema', () => {
  const takes = (members: object) => assetRecordSchema.safeParse({ ...record, ...members }).success

  it('accepts a record with and without transfers and receipts', () => {
    expect(assetRecordSchema.parse(record)).toEqual(record)
    expect(takes({ transfers: [event], receipts: [receipt] })).toBe(true)
  })

  it.each(Object.keys(record))('requires %s', (member) => {
    expect(takes({ [member]: undefined })).toBe(false)
  })

  it('has no other member', () => {
    expect(takes({ metadata: {} })).toBe(false)
  })

  it.each([
    ['attestations', 64, attestation],
    ['transfers', 128, event],
    ['receipts', 128, receipt],
  ])('has at most this many %s: %i', (member, most, value) => {
    expect(takes({ [member]: times(most, value) })).toBe(true)
    expect(takes({ [member]: times(most + 1, value) })).toBe(false)
    expect(takes({ [member]: null })).toBe(false)
  })

  it('has the header of a mint', () => {
    expect(takes({ header: event.header })).toBe(false)
  })
})

describe('assetTransferEventSchema', () => {
  const takes = (members: object) => assetTransferEventSchema.safeParse({ ...event, ...members }).success

  it('accepts all documented members', () => {
    expect(assetTransferEventSchema.parse(event)).toEqual(event)
  })

  it.each(Object.keys(event))('requires %s', (member) => {
    expect(takes({ [member]: undefined })).toBe(false)
  })

  it.each(['previousOwner', 'newOwner'])('has a %s of 1 to 1,024 characters', (member) => {
    expect(takes({ [member]: 'x' })).toBe(true)
    expect(takes({ [member]: 'x'.repeat(1024) })).toBe(true)
    expect(takes({ [member]: '' })).toBe(false)
    expect(takes({ [member]: 'x'.repeat(1025) })).toBe(false)
  })

  it('has the header of a transfer, a time and no other member', () => {
    expect(takes({ header: record.header })).toBe(false)
    expect(takes({ occurredAt: 1_790_000_000_000 })).toBe(false)
    expect(takes({ occurredAt: '2026-10-23' })).toBe(false)
    expect(takes({ position: 0 })).toBe(false)
  })
})

describe('assetReceiptSchema', () => {
  const takes = (members: object) => assetReceiptSchema.safeParse({ ...receipt, ...members }).success

  it('accepts all documented members', () => {
    const full = { ...receipt, standard: 'erc1155', chainId: '1', txHash: `0x${'0f'.repeat(32)}` }
    expect(assetReceiptSchema.parse(receipt)).toEqual(receipt)
    expect(assetReceiptSchema.parse(full)).toEqual(full)
  })

  it.each(Object.keys(receipt))('requires %s', (member) => {
    expect(takes({ [member]: undefined })).toBe(false)
  })

  // 2^256 - 1, the largest token id, has 78 digits.
  it.each(['0', '9', '10', '1'.repeat(78)])('accepts %s as tokenId and chainId', (digits) => {
    expect(takes({ tokenId: digits, chainId: digits })).toBe(true)
  })

  it.each(['', '00', '01', '-1', '+1', '1.0', '1e3', '0x1', ' 1', '1\n', '١', '1'.repeat(79), 7, null])(
    'refuses %j as tokenId or chainId',
    (digits) => {
      expect(takes({ tokenId: digits })).toBe(false)
      expect(takes({ chainId: digits })).toBe(false)
    },
  )

  it.each([
    ['contract', 20],
    ['txHash', 32],
  ])('accepts a %s of 0x and %i bytes in lowercase hex', (member, bytes) => {
    expect(takes({ [member]: `0x${'0f'.repeat(bytes)}` })).toBe(true)
    const others = [
      '',
      '0f'.repeat(bytes),
      `0X${'0f'.repeat(bytes)}`,
      `0x${'0F'.repeat(bytes)}`,
      `0x${'0g'.repeat(bytes)}`,
    ]
    for (const text of [
      ...others,
      `0x${'0f'.repeat(bytes - 1)}`,
      `0x${'0f'.repeat(bytes)}0`,
      `0x${'0f'.repeat(bytes)}\n`,
    ])
      expect(takes({ [member]: text })).toBe(false)
  })

  it.each([
    { standard: 'erc20' },
    { standard: 'ERC721' },
    { mappedAt: 1_790_000_000_000 },
    { mappedAt: '2026-10-23T10:00Z' },
    { mappedAt: `2026-10-23T10:00:00.${'1'.repeat(44)}Z` },
    { owner: did },
  ])('refuses %j', (members) => {
    expect(takes(members)).toBe(false)
  })
})

describe('responses', () => {
  it('export a record with its transfers', () => {
    const exported = {
      format: 'svc/asset-export/v1',
      exportedAt: '2026-10-23T10:00:00Z',
      record,
      transfers: [event],
      position: 0,
      count: 1,
      cursor: null,
    }
    const takes = (members: object) => assetExportSchema.safeParse({ ...exported, ...members }).success
    expect(takes({})).toBe(true)
    expect(takes({ cursor: '128' })).toBe(true)
    for (const member of ['cursor', 'position', 'count']) expect(takes({ [member]: undefined })).toBe(false)
    expect(takes({ position: -1 })).toBe(false)
    expect(takes({ format: 'svc/asset-export/v2' })).toBe(false)
    expect(takes({ note: 'x' })).toBe(false)
  })

  it('show the displaced record, or that there is none', () => {
    const page = { transfers: [event], position: 0, count: 1, cursor: null }
    const displaced = { record, displacedAt: '2026-10-23T11:00:00Z', ...page }
    const takes = (members: object) => assetHistorySchema.safeParse({ assetId, displaced: null, ...members }).success
    expect(takes({})).toBe(true)
    expect(takes({ displaced })).toBe(true)
    expect(takes({ displaced: { ...displaced, record: { ...record, transfers: [event] } } })).toBe(false)
    expect(takes({ displaced: undefined })).toBe(false)
    expect(takes({ record })).toBe(false)
  })

  it('list receipts under their asset', () => {
    expect(receiptsSchema.safeParse({ assetId, receipts: [receipt] }).success).toBe(true)
    expect(receiptsSchema.safeParse({ assetId }).success).toBe(false)
    expect(receiptsSchema.safeParse({ assetId, receipts: [], owner: did }).success).toBe(false)
  })
})

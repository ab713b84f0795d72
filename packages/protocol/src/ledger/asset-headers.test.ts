import { describe, expect, it } from 'vitest'
import { assetCoreSchema, assetIdSchema, assetMintHeaderSchema, assetTransferHeaderSchema } from './assets.ts'

const assetId = `asset:sha3-384:${'0a'.repeat(48)}`
const did = `did:svc:${'aZ0_-xyz'.repeat(4)}`
const common = {
  userId: '3c'.repeat(48),
  assetId,
  timestamp: '2026-10-23T10:00:00Z',
  app: { name: 'studio', version: '1.2.0' },
}
const mintHeader = { ...common, action: 'asset/mint' }
const transferHeader = { ...common, action: 'asset/transfer', to: did }

/** Both headers follow the same rules, so each case applies to both. */
const takesHeader = (members: object): boolean => {
  const [mint, transfer] = [
    assetMintHeaderSchema.safeParse({ ...mintHeader, ...members }).success,
    assetTransferHeaderSchema.safeParse({ ...transferHeader, ...members }).success,
  ]
  expect(mint).toBe(transfer)
  return mint
}

describe('an asset id', () => {
  it('has 111 characters: the prefix and 96 lowercase hex', () => {
    expect(assetId).toHaveLength(111)
    expect(assetIdSchema.safeParse(assetId).success).toBe(true)
  })

  it.each([
    ['95 hex characters', assetId.slice(0, -1)],
    ['97 hex characters', `${assetId}0`],
    ['uppercase hex', assetId.replaceAll('a', 'A')],
    ['another letter', `${assetId.slice(0, -1)}g`],
    ['another hash', assetId.replace('sha3-384', 'sha3-512')],
    ['an uppercase prefix', assetId.replace('asset', 'Asset')],
    ['no prefix', assetId.slice('asset:sha3-384:'.length)],
    ['something before it', ` ${assetId}`],
    ['a line break after it', `${assetId}\n`],
    ['nothing', ''],
  ])('is not valid with %s', (_, text) => {
    expect(assetIdSchema.safeParse(text).success).toBe(false)
    expect(takesHeader({ assetId: text })).toBe(false)
    expect(assetCoreSchema.shape.assetId.safeParse(text).success).toBe(false)
  })
})

describe('the headers', () => {
  it('accept all required members', () => {
    expect(assetMintHeaderSchema.parse(mintHeader)).toEqual(mintHeader)
    expect(assetTransferHeaderSchema.parse(transferHeader)).toEqual(transferHeader)
  })

  it.each(Object.keys(common))('require %s', (member) => {
    expect(takesHeader({ [member]: undefined })).toBe(false)
  })

  it('reject other members at any level', () => {
    expect(takesHeader({ note: 'x' })).toBe(false)
    expect(takesHeader({ app: { ...common.app, build: '7' } })).toBe(false)
    expect(assetMintHeaderSchema.safeParse({ ...mintHeader, to: did }).success).toBe(false)
  })

  it('have one action each', () => {
    expect(assetMintHeaderSchema.safeParse({ ...mintHeader, action: 'asset/transfer' }).success).toBe(false)
    expect(assetTransferHeaderSchema.safeParse({ ...transferHeader, action: 'asset/mint' }).success).toBe(false)
    expect(takesHeader({ action: 'asset/burn' })).toBe(false)
    expect(takesHeader({ action: undefined })).toBe(false)
  })

  it('accept a userId of 1 to 1,024 characters', () => {
    expect(takesHeader({ userId: 'x' })).toBe(true)
    expect(takesHeader({ userId: 'x'.repeat(1024) })).toBe(true)
    for (const userId of ['', 'x'.repeat(1025), 7, null]) expect(takesHeader({ userId })).toBe(false)
  })

  it('accept a timestamp of at most 64 characters', () => {
    expect(takesHeader({ timestamp: `2026-10-23T10:00:00.${'1'.repeat(43)}Z` })).toBe(true)
    expect(takesHeader({ timestamp: `2026-10-23T10:00:00.${'1'.repeat(44)}Z` })).toBe(false)
    expect(takesHeader({ timestamp: '2026-10-23T10:00:00.5-11:30' })).toBe(true)
  })

  it.each([
    '',
    '2026-10-23',
    '2026-10-23T10:00Z',
    '2026-10-23T10:00:00',
    '2026-10-23 10:00:00Z',
    '2026-02-30T10:00:00Z',
    '2026-10-23T25:00:00Z',
    '2026-10-23T10:00:00+0200',
    '2026-10-23T10:00:00Z\n',
    1_790_000_000_000,
  ])('refuse the timestamp %j', (timestamp) => {
    expect(takesHeader({ timestamp })).toBe(false)
  })

  it.each(['a', 'z-', 'a0', 'a-b-9', 'a'.repeat(32)])('accept the app name %s', (name) => {
    expect(takesHeader({ app: { ...common.app, name } })).toBe(true)
  })

  it.each(['', 'A', 'aB', '1a', '-a', 'a_b', 'a.b', 'a b', 'é', 'a\n', 'a'.repeat(33), 7, undefined])(
    'refuse the app name %j',
    (name) => {
      expect(takesHeader({ app: { ...common.app, name } })).toBe(false)
    },
  )

  it.each([
    '0.0.0',
    '1.2.3',
    '10.20.30',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-0.3.7',
    '1.0.0-x-y-z.--',
    '1.0.0-0a',
    '1.0.0+20130313144700',
    '1.0.0-beta+exp.sha.5114f85',
    '1.0.0+001',
    `1.0.0-${'a'.repeat(58)}`,
  ])('accept the app version %s', (version) => {
    expect(takesHeader({ app: { ...common.app, version } })).toBe(true)
  })

  it.each([
    '',
    '1',
    '1.2',
    '1.2.3.4',
    'v1.2.3',
    '01.2.3',
    '1.02.3',
    '1.2.03',
    '1.2.3-',
    '1.2.3-01',
    '1.2.3-a..b',
    '1.2.3+',
    '1.2.3+a+b',
    '1.2.3+a_b',
    '1.2.x',
    ' 1.2.3',
    '1.2.3\n',
    `1.0.0-${'a'.repeat(59)}`,
    1,
    undefined,
  ])('refuse the app version %j', (version) => {
    expect(takesHeader({ app: { ...common.app, version } })).toBe(false)
  })

  it('of a transfer names the recipient DID', () => {
    const takes = (to: unknown) => assetTransferHeaderSchema.safeParse({ ...transferHeader, to }).success
    expect(takes(did)).toBe(true)
    const others = [
      undefined,
      '',
      did.slice(0, -1),
      `${did}A`,
      did.replace('svc', 'web'),
      `${did.slice(0, -1)}+`,
      `${did}#k`,
    ]
    for (const to of others) expect(takes(to)).toBe(false)
  })
})

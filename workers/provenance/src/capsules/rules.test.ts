import { expect, it } from 'vitest'
import { capsuleFault } from './rules.ts'

const NOW = 1_790_000_000_000
const did = `did:svc:${'PDw8'.repeat(8)}`
const hash = 'a7'.repeat(48)
const expected = { did, kind: 'image', hash } as const
const block = { contentType: 'application/vnd.svc.capsule+json', dataHash: hash }
const capsule = { kind: 'image', media: { mime: 'image/png' }, did, issuedAt: NOW }
const faultOf = (changed: object, bound: object | undefined = block) =>
  capsuleFault({ capsule: { ...capsule, ...changed }, block: bound } as never, expected, NOW)
const malformed = (detail: string) => ({ reason: 'malformed', detail })

it('accepts a capsule of the signer and kind, with a block of its chain or without one', () => {
  expect(faultOf({})).toBeNull()
  expect(capsuleFault({ capsule, block: undefined } as never, expected, NOW)).toBeNull()
})

it('accepts what was signed long ago, or by a clock that is five minutes ahead', () => {
  expect(faultOf({ issuedAt: 0 })).toBeNull()
  expect(faultOf({ issuedAt: NOW + 300_000 })).toBeNull()
  expect(faultOf({ issuedAt: NOW + 300_001 })).toEqual({ reason: 'from_the_future' })
})

it.each([
  [{ kind: 'video' }, malformed('capsule.kind: must be image here')],
  [{ media: { mime: 'video/mp4' } }, malformed('capsule.media.mime: must be of image/')],
  [{ media: { mime: 'imagery/png' } }, malformed('capsule.media.mime: must be of image/')],
  [{ media: { mime: 'x-image/' } }, malformed('capsule.media.mime: must be of image/')],
  [{ did: `did:svc:${'A'.repeat(32)}` }, { reason: 'owner_mismatch' }],
])('refuses a capsule with %j', (changed, fault) => {
  expect(faultOf(changed)).toEqual(fault)
})

it.each([
  [{ contentType: 'image/png' }, 'block.contentType: must be application/vnd.svc.capsule+json'],
  [{ dataHash: 'b8'.repeat(48) }, 'block.dataHash: must be that of the capsule'],
])('refuses a block with %j', (changed, detail) => {
  expect(faultOf({}, { ...block, ...changed })).toEqual(malformed(detail))
})

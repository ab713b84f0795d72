import { describe, expect, it } from 'vitest'
import {
  COMMITTED_ROWS,
  countedDevicesSchema,
  keptSchema,
  PLAIN_ROWS,
  PREPARATIONS,
  PROSPECT_ROWS,
  type Prospect,
  prospectSchema,
  THEFTS,
} from '../../src/chain/prospects.ts'

describe('what an owner says that they keep', () => {
  it.each([
    { rootCopy: false, requests: [] },
    { rootCopy: true, requests: [1] },
    { rootCopy: true, requests: [2, 1], sheets: 0 },
    { rootCopy: true, requests: [], sheets: 3 },
  ])('can be %j', (kept) => {
    expect(keptSchema.parse(kept)).toEqual(kept)
  })

  it.each([
    {},
    { rootCopy: true },
    { requests: [] },
    { rootCopy: true, requests: [3] },
    { rootCopy: true, requests: [1, 2, 2] },
    { rootCopy: true, requests: [], sheets: -1 },
    { rootCopy: true, requests: [], sheets: 4 },
    { rootCopy: true, requests: [], sheets: 1.5 },
    { rootCopy: true, requests: [], devices: 2 },
  ])('cannot be %j', (kept) => {
    expect(keptSchema.safeParse(kept).success).toBe(false)
  })
})

describe('a prospect', () => {
  const prospect: Prospect = {
    theft: 'root',
    row: 'device_recovers',
    outcome: 'recovers',
    within: 172_800_000,
    notBefore: null,
    summary: 'A device takes the identity back.',
    preparations: ['add_cosigner'],
  }

  it('has a row of identities with a commitment or without, each once', () => {
    expect(new Set(PROSPECT_ROWS)).toEqual(new Set([...PLAIN_ROWS, ...COMMITTED_ROWS]))
    expect(PROSPECT_ROWS).toHaveLength(new Set(PROSPECT_ROWS).size)
  })

  it.each<Partial<Prospect>>([
    ...PROSPECT_ROWS.map((row) => ({ row })),
    ...THEFTS.map((theft) => ({ theft })),
    ...(['recovers', 'keeps', 'standoff', 'lost'] as const).map((outcome) => ({ outcome })),
    { within: null, notBefore: 0, preparations: [...PREPARATIONS] },
  ])('is accepted with %j', (changed) => {
    expect(prospectSchema.parse({ ...prospect, ...changed })).toEqual({ ...prospect, ...changed })
  })

  it.each<object>([
    { theft: 'nothing' },
    { row: '' },
    { outcome: 'unknown' },
    { preparations: ['pray'] },
    { chance: 0.5 },
    ...Object.keys(prospect).map((member) => ({ [member]: undefined })),
  ])('is refused with %j', (changed) => {
    expect(prospectSchema.safeParse({ ...prospect, ...changed }).success).toBe(false)
  })

  it('says in OpenAPI what its durations are', () => {
    const { within, notBefore } = prospectSchema.shape
    expect(within.unwrap().description).toBe(
      'Recovered within; null if it depends on the operator, or is not recovered, ms',
    )
    expect(notBefore.unwrap().description).toBe('Lost at the earliest after; null if it is not lost, ms')
  })
})

describe('the devices of a rehearsal', () => {
  const counted = { cosign: 1, veto: 0, tooNew: 2 }

  it('are counted by what they can do', () => {
    expect(countedDevicesSchema.parse(counted)).toEqual(counted)
  })

  it.each([{ cosign: 0.5 }, { veto: undefined }, { tooNew: '2' }, { revoked: 1 }])(
    'are not counted as %j',
    (changed) => {
      expect(countedDevicesSchema.safeParse({ ...counted, ...changed }).success).toBe(false)
    },
  )
})

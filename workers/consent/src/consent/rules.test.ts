import { describe, expect, it } from 'vitest'
import { decideWrite, type Standing, type Write } from './rules.ts'

const record: Standing = {
  creatorDid: 'a',
  status: 'published',
  version: 3,
  heldFrom: 0,
  lastAct: 'last',
  remembersAct: false,
}
const write = (action: Write['action'], changed: Partial<Write> = {}): Write => ({
  action,
  actHash: 'new',
  creatorDid: 'a',
  ...changed,
})
const told = (standing: Standing | null, wanted: Write) => {
  const decision = decideWrite(standing, wanted)
  return decision.is === 'refused' ? decision.reason : decision.is
}
const ACTIONS = ['create', 'update', 'delete'] as const

describe('a write', () => {
  it.each<[string, Partial<Standing> | null, Partial<Write>, [string, string, string]]>([
    ['of what never was', null, {}, ['proceed', 'not_found', 'not_found']],
    ['of a record', {}, {}, ['consent_exists', 'proceed', 'proceed']],
    ['of a revoked record', { status: 'revoked' }, {}, ['proceed', 'not_found', 'not_found']],
    ['that left the record as it is', {}, { actHash: 'last' }, ['unchanged', 'unchanged', 'unchanged']],
    ['that revoked it', { status: 'revoked' }, { actHash: 'last' }, ['unchanged', 'unchanged', 'unchanged']],
    ['that was taken before', { remembersAct: true }, {}, ['consent_replay', 'consent_replay', 'consent_replay']],
    [
      'taken before it was revoked',
      { remembersAct: true, status: 'revoked' },
      {},
      ['consent_replay', 'not_found', 'not_found'],
    ],
    ['of another creator', {}, { creatorDid: 'b' }, ['consent_held', 'consent_held', 'consent_held']],
    [
      'of another, revoked',
      { status: 'revoked' },
      { creatorDid: 'b' },
      ['consent_held', 'consent_held', 'consent_held'],
    ],
    [
      'of another, by its last signature',
      {},
      { creatorDid: 'b', actHash: 'last' },
      ['consent_held', 'consent_held', 'consent_held'],
    ],
    ['at the limit', { version: 1000 }, {}, ['consent_exists', 'consent_limit', 'proceed']],
    ['at the limit, revoked', { version: 1001, status: 'revoked' }, {}, ['consent_limit', 'not_found', 'not_found']],
    [
      'at the limit, but of the creator before',
      { version: 1000, heldFrom: 1 },
      {},
      ['consent_exists', 'proceed', 'proceed'],
    ],
    ['below the limit', { version: 999, status: 'revoked' }, {}, ['proceed', 'not_found', 'not_found']],
  ])('%s', (_, standing, changed, expected) => {
    const found = standing && { ...record, ...standing }
    expect(ACTIONS.map((action) => told(found, write(action, changed)))).toEqual(expected)
  })

  it('of an ownerless record is refused whatever it is', () => {
    for (const action of ACTIONS) {
      for (const standing of [{}, { status: 'revoked' as const }, { remembersAct: true }, { version: 1000 }]) {
        const ownerless = { ...record, ...standing, creatorDid: null }
        expect(told(ownerless, write(action))).toBe('non_native_consent_record')
        expect(told(ownerless, write(action, { actHash: 'last', creatorDid: '' }))).toBe('non_native_consent_record')
      }
    }
  })
})

import { describe, expect, it } from 'vitest'
import { REALM } from '../../test/realm.fixture.ts'
import { encodeBase64url } from '../base/base64url.ts'
import { statementHash } from '../base/statement.ts'
import {
  checkRoster,
  officersSchema,
  quorumSchema,
  type Roster,
  type RosterFault,
  signedOfficerAcceptanceSchema,
} from './officers.ts'

const ORG = `did:svc:${'PDw8'.repeat(8)}`
const SCOPE = '3c'.repeat(48)
const [ANN, BEN, CAT, DAN, EVE] = ['A', 'B', 'C', 'D', 'E'].map((letter) => `did:svc:${letter.repeat(32)}`) as [
  string,
  string,
  string,
  string,
  string,
]
const KEY = encodeBase64url(new Uint8Array(1952).fill(1))
const SIGNATURE = 'A'.repeat(4412)
const issuedAt = 1_790_000_000_000

const link = { did: ORG, scope: SCOPE, sequence: 5, previousHash: 'a7'.repeat(48), rootEpoch: 1 }
const inception = {
  type: 'svc/org-inception/v1',
  realm: REALM,
  ...link,
  officers: [ANN, BEN, CAT],
  quorum: 2,
  issuedAt,
}
/** Cat leaves and Dan joins. */
const change = { ...inception, type: 'svc/org-officers/v1', realm: REALM, officers: [ANN, BEN, DAN], rosterVersion: 4 }
const current: Roster = { version: 3, officers: [ANN, BEN, CAT], quorum: 2 }

const acceptanceOf = (statement: object, officerDid: string, members: object = {}) => ({
  statement: {
    type: 'svc/officer-acceptance/v1' as const,
    realm: REALM,
    orgDid: ORG,
    orgScope: SCOPE,
    officerDid,
    rosterHash: statementHash(statement),
    inception: null,
    issuedAt,
    ...members,
  },
  publicKeyB64u: KEY,
  signatureB64u: SIGNATURE,
})
const acceptancesOf = (statement: object, ...dids: string[]) => dids.map((did) => acceptanceOf(statement, did))
const approvalsOf = (...dids: string[]) =>
  dids.map((officerDid) => ({ officerDid, publicKeyB64u: KEY, signatureB64u: SIGNATURE }))
const refusal = (reason: RosterFault['reason']) => ({ ok: false, error: { reason } })

describe('an inception', () => {
  const all = { acceptances: acceptancesOf(inception, ANN, BEN, CAT) }

  it('creates version 1 of the roster', () => {
    expect(checkRoster(null, inception, all)).toEqual({
      ok: true,
      value: { version: 1, officers: [ANN, BEN, CAT], quorum: 2 },
    })
  })

  it('identifies the roster by its canonical JSON', () => {
    // From Python: hashlib over json.dumps(statement, sort_keys=True, separators=(',', ':')).
    const rosterHash =
      'e6a2070f605ed853cb0a118837a898803cd6165b2edb1ba7563f304dbd765b9dca57446afea18b07dd558733fa79433f'
    const acceptances = [ANN, BEN, CAT].map((did) => acceptanceOf({}, did, { rosterHash }))
    expect(checkRoster(null, inception, { acceptances }).ok).toBe(true)
  })

  it('is refused a second time', () => {
    expect(checkRoster({ ...current, version: 1 }, inception, all)).toEqual(refusal('org_exists'))
  })

  it('is refused with the organization as its own officer', () => {
    for (const officers of [[ORG], [ANN, ORG]]) {
      const own = { ...inception, officers, quorum: 1 }
      expect(checkRoster(null, own, { acceptances: acceptancesOf(own, ...officers) })).toEqual(refusal('not_eligible'))
    }
  })

  it('is refused with a quorum above the number of officers', () => {
    const high = { ...inception, quorum: 4 }
    expect(checkRoster(null, high, { acceptances: acceptancesOf(high, ANN, BEN, CAT) })).toEqual(
      refusal('quorum_not_met'),
    )
    const full = { ...inception, quorum: 3 }
    expect(checkRoster(null, full, { acceptances: acceptancesOf(full, ANN, BEN, CAT) }).ok).toBe(true)
  })

  it.each([
    ['no one', []],
    ['all but one', [ANN, BEN]],
    ['one of them twice', [ANN, BEN, BEN]],
    ['someone else instead', [ANN, BEN, DAN]],
  ])('is refused when %s has accepted', (_, dids) => {
    const acceptances = acceptancesOf(inception, ...dids)
    expect(checkRoster(null, inception, { acceptances })).toEqual(refusal('acceptance_missing'))
  })
})

describe('an acceptance', () => {
  it.each([
    ['organization', { orgDid: EVE }],
    ['scope', { orgScope: '3d'.repeat(48) }],
    ['roster', { rosterHash: 'a7'.repeat(48) }],
    ['officer', { officerDid: DAN }],
  ])('of another %s does not count', (_, members) => {
    const acceptances = [...acceptancesOf(inception, ANN, BEN), acceptanceOf(inception, CAT, members)]
    expect(checkRoster(null, inception, { acceptances })).toEqual(refusal('acceptance_missing'))
  })

  it('covers one roster: a changed quorum, order or time needs another acceptance', () => {
    const acceptances = acceptancesOf(inception, ANN, BEN, CAT)
    for (const members of [{ quorum: 1 }, { officers: [BEN, ANN, CAT] }, { issuedAt: issuedAt + 1 }, { sequence: 6 }]) {
      expect(checkRoster(null, { ...inception, ...members }, { acceptances })).toEqual(refusal('acceptance_missing'))
    }
  })

  it('includes the key of its signer', () => {
    const signed = acceptanceOf(inception, ANN)
    expect(signedOfficerAcceptanceSchema.parse(signed)).toEqual(signed)
    const { publicKeyB64u: _, ...keyless } = signed
    expect(signedOfficerAcceptanceSchema.safeParse(keyless).success).toBe(false)
  })
})

describe('a change of officers', () => {
  const good = { approvals: approvalsOf(ANN, BEN), acceptances: acceptancesOf(change, DAN) }

  it('creates the next version of the roster', () => {
    expect(checkRoster(current, change, good)).toEqual({
      ok: true,
      value: { version: 4, officers: [ANN, BEN, DAN], quorum: 2 },
    })
  })

  it('is refused if there is no organization', () => {
    expect(checkRoster(null, { ...change, rosterVersion: 1 }, good)).toEqual(refusal('not_an_org'))
  })

  it.each([0, 1, 3, 5, 1000])('is refused as version %i after version 3', (rosterVersion) => {
    const other = { ...change, rosterVersion }
    const evidence = { ...good, acceptances: acceptancesOf(other, DAN) }
    expect(checkRoster(current, other, evidence)).toEqual(refusal('roster_version'))
  })

  it.each([
    ['no one', []],
    ['one officer', [ANN]],
    ['one officer twice', [ANN, ANN]],
    ['an officer and a stranger', [ANN, EVE]],
    ['an officer and the one who comes', [ANN, DAN]],
    ['an officer and the organization', [ANN, ORG]],
    ['strangers', [DAN, EVE, ORG]],
  ])('is refused when %s has approved', (_, dids) => {
    expect(checkRoster(current, change, { ...good, approvals: approvalsOf(...dids) })).toEqual(
      refusal('quorum_not_met'),
    )
  })

  it('is refused without approvals at all', () => {
    const { acceptances } = good
    expect(checkRoster(current, change, { acceptances })).toEqual(refusal('quorum_not_met'))
  })

  it('may be approved by leaving officers', () => {
    const all = { ...change, officers: [DAN, EVE], quorum: 1 }
    const evidence = { approvals: approvalsOf(BEN, CAT), acceptances: acceptancesOf(all, DAN, EVE) }
    expect(checkRoster(current, all, evidence).ok).toBe(true)
  })

  it('requires the current quorum, not the new one', () => {
    const lower = { ...change, quorum: 1 }
    const acceptances = acceptancesOf(lower, DAN)
    expect(checkRoster(current, lower, { approvals: approvalsOf(ANN), acceptances })).toEqual(refusal('quorum_not_met'))
    expect(checkRoster(current, lower, { approvals: approvalsOf(ANN, CAT), acceptances }).ok).toBe(true)
  })

  it('is refused with a quorum above the number of its officers', () => {
    const smaller = { ...change, officers: [ANN] }
    expect(checkRoster(current, smaller, { approvals: approvalsOf(ANN, BEN), acceptances: [] })).toEqual(
      refusal('quorum_not_met'),
    )
  })

  it('is refused with the organization as its own officer', () => {
    const own = { ...change, officers: [ANN, ORG], quorum: 1 }
    const evidence = { approvals: approvalsOf(ANN, BEN), acceptances: acceptancesOf(own, ORG) }
    expect(checkRoster(current, own, evidence)).toEqual(refusal('not_eligible'))
  })

  it('requires the acceptance of each new officer and nothing from those who stay', () => {
    const two = { ...change, officers: [ANN, DAN, EVE] }
    for (const dids of [[], [DAN], [EVE], [ANN, DAN]]) {
      expect(checkRoster(current, two, { ...good, acceptances: acceptancesOf(two, ...dids) })).toEqual(
        refusal('acceptance_missing'),
      )
    }
    expect(checkRoster(current, two, { ...good, acceptances: acceptancesOf(two, DAN, EVE) }).ok).toBe(true)
  })

  it('requires a new acceptance from an officer who returns', () => {
    const without: Roster = { version: 3, officers: [ANN, BEN], quorum: 2 }
    const back = { ...change, officers: [ANN, BEN, CAT] }
    const earlier = { approvals: approvalsOf(ANN, BEN), acceptances: acceptancesOf(inception, CAT) }
    expect(checkRoster(without, back, earlier)).toEqual(refusal('acceptance_missing'))
    expect(checkRoster(without, back, { ...earlier, acceptances: acceptancesOf(back, CAT) }).ok).toBe(true)
  })
})

describe('schemas', () => {
  const dids = (count: number) => Array.from({ length: count }, (_, i) => `did:svc:${String(i).padStart(32, '0')}`)

  it('accept one to sixteen distinct officers', () => {
    for (const officers of [dids(1), dids(16)]) expect(officersSchema.safeParse(officers).success).toBe(true)
    for (const officers of [[], dids(17), [ANN, ANN], ['did:web:example.com'], [ANN.slice(8)]]) {
      expect(officersSchema.safeParse(officers).success).toBe(false)
    }
  })

  it('accept a quorum of one to sixteen', () => {
    for (const quorum of [1, 16]) expect(quorumSchema.safeParse(quorum).success).toBe(true)
    for (const quorum of [0, -1, 17, 1.5, '2', null]) expect(quorumSchema.safeParse(quorum).success).toBe(false)
  })
})

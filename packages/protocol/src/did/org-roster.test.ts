import { mlDsa65 } from '@svc/pqc'
import { describe, expect, it } from 'vitest'
import { REALM, REALMS } from '../../test/realm.fixture.ts'
import { encodeBase64url } from '../base/base64url.ts'
import { didOf, userIdOf } from '../base/identity.ts'
import { signStatement } from '../base/statement.ts'
import { NO_ORG_EVENT, type OrgBinding, type OrgEvent, orgEventHash } from './org-bindings.ts'
import { OrgRoster, OrgRosterVerifier } from './org-roster.ts'

async function keyOf(byte: number) {
  const seed = new Uint8Array(32).fill(byte)
  const publicKey = await mlDsa65.publicKeyOf(seed)
  const userId = userIdOf(publicKey)
  return {
    publicKeyB64u: encodeBase64url(publicKey),
    userId,
    did: didOf(userId),
    sign: (message: Uint8Array) => mlDsa65.sign(seed, message),
  }
}
const [org, next, ann, ben] = await Promise.all([keyOf(1), keyOf(2), keyOf(3), keyOf(4)])
const KEYS = [
  { epoch: 0, userId: org.userId, publicKeyB64u: org.publicKeyB64u },
  { epoch: 1, userId: next.userId, publicKeyB64u: next.publicKeyB64u },
] as const
const subject = (byte: string) => byte.repeat(48)
const bind = (memberDid: string, subjectHash: string): Partial<OrgBinding> => ({
  memberDid,
  event: 'bind',
  provider: 'a.example',
  subjectHash,
  role: 'member',
  permissions: [],
  expiresAt: null,
})

/** A sequence of events, each linked to the previous one. */
async function logOf(changes: readonly Partial<OrgBinding>[], by = org): Promise<OrgEvent[]> {
  const events: OrgEvent[] = []
  let previousHash = NO_ORG_EVENT
  for (const [i, change] of changes.entries()) {
    const statement = {
      type: 'svc/org-binding/v1',
      realm: REALM,
      orgDid: org.did,
      orgScope: org.userId,
      rootEpoch: 0,
      sequence: i + 1,
      previousHash,
      inception: null,
      issuedAt: 1000,
      ...change,
    } as OrgBinding
    const event = await signStatement(statement, statement.rootEpoch === 1 ? next.sign : by.sign)
    events.push(event)
    previousHash = orgEventHash(event)
  }
  return events
}

/** Ann's acceptance of her binding, signed by a key. */
async function acceptanceBy(signer: typeof ann, issuedAt = 1000) {
  const statement = {
    type: 'svc/org-acceptance/v1' as const,
    realm: REALM,
    orgDid: org.did,
    orgScope: org.userId,
    memberDid: ann.did,
    provider: 'a.example',
    subjectHash: subject('0a'),
    inception: null,
    issuedAt,
  }
  return { ...(await signStatement(statement, signer.sign)), publicKeyB64u: signer.publicKeyB64u }
}

async function faultOf(events: readonly OrgEvent[]): Promise<string> {
  const verifier = new OrgRosterVerifier(KEYS, async (did) => (did === ann.did ? [{ epoch: 0, ...ann }] : []), REALMS)
  for (const event of events) {
    const taken = await verifier.next(event)
    if (!taken.ok) return `${taken.error.reason} at ${event.statement.sequence}`
  }
  return 'none'
}

describe('a binding log', () => {
  const revoke = { memberDid: ann.did, event: 'revoke' as const }

  it('verifies from the DID, across a rotation of the organization’s key', async () => {
    expect(await faultOf(await logOf([bind(ann.did, subject('0a')), { ...revoke, rootEpoch: 1 }]))).toBe('none')
  })

  it('rejects an event by a key of another epoch or a superseded key', async () => {
    expect(await faultOf(await logOf([bind(ann.did, subject('0a'))], ann))).toBe('invalid_signature at 1')
    expect(await faultOf(await logOf([{ ...bind(ann.did, subject('0a')), rootEpoch: 1 }, revoke]))).toBe(
      'unknown_epoch at 2',
    )
    expect(await faultOf(await logOf([{ ...bind(ann.did, subject('0a')), rootEpoch: 2 }]))).toBe('unknown_epoch at 1')
  })

  it('reveals an event that was omitted, changed or moved', async () => {
    const log = await logOf([bind(ann.did, subject('0a')), bind(ben.did, subject('0b')), revoke])
    const [first, second, third] = log as [OrgEvent, OrgEvent, OrgEvent]
    expect(await faultOf([first, third])).toBe('stale_org_head at 3')
    expect(await faultOf([second])).toBe('stale_org_head at 2')
    const changed = { ...first, statement: { ...first.statement, role: 'admin' as const } }
    expect(await faultOf([changed, second])).toBe('invalid_signature at 1')
    expect(await faultOf([first, first])).toBe('stale_org_head at 1')
  })

  it('names events of the inception log that never go back', async () => {
    const named = (sequence: number) => ({ inception: { sequence, hash: subject('0c') } })
    const log = (...sequences: [number, number]) =>
      logOf([
        { ...bind(ann.did, subject('0a')), ...named(sequences[0]) },
        { ...revoke, ...named(sequences[1]) },
      ])
    expect(await faultOf(await log(2, 2))).toBe('none')
    expect(await faultOf(await log(2, 1))).toBe('older_head at 2')
  })

  it('refuses an acceptance by an earlier root key of the member than the one before', async () => {
    const terms = { ...bind(ann.did, subject('0a')), event: 'update' as const }
    const [first, second] = (await logOf([bind(ann.did, subject('0a')), terms])) as [OrgEvent, OrgEvent]
    const accepted = async (event: OrgEvent, by: typeof ann, issuedAt: number) => ({
      ...event,
      acceptance: await acceptanceBy(by, issuedAt),
    })
    const keys = [ann, ben].map((key, epoch) => ({ epoch, userId: key.userId, publicKeyB64u: key.publicKeyB64u }))
    const faultBy = async (one: typeof ann, other: typeof ann) => {
      const verifier = new OrgRosterVerifier(KEYS, async () => keys, REALMS)
      const begun = await accepted(first, one, 1000)
      expect((await verifier.next(begun)).ok).toBe(true)
      const { statement } = second
      const relinked = { ...statement, previousHash: orgEventHash(begun) }
      return verifier.next(await accepted(await signStatement(relinked, org.sign), other, 1001))
    }
    expect(await faultBy(ben, ann)).toEqual({ ok: false, error: { reason: 'acceptance_unverifiable' } })
    expect((await faultBy(ann, ben)).ok).toBe(true)
  })

  it('counts an acceptance only by a root key of the member', async () => {
    const acceptedBy = async (signer: typeof ann) => {
      const [event] = await logOf([bind(ann.did, subject('0a'))])
      return { ...(event as OrgEvent), acceptance: await acceptanceBy(signer) }
    }
    expect(await faultOf([await acceptedBy(ann)])).toBe('none')
    expect(await faultOf([await acceptedBy(ben)])).toBe('acceptance_unverifiable at 1')
    const forged = { ...(await acceptedBy(ben)).acceptance, publicKeyB64u: ann.publicKeyB64u }
    expect(await faultOf([{ ...(await acceptedBy(ann)), acceptance: forged }])).toBe('invalid_signature at 1')
  })
})

it('a subject of a revoked member stays with its new member', async () => {
  const roster = new OrgRoster(org.userId)
  const log = await logOf([
    bind(ann.did, subject('0a')),
    { memberDid: ann.did, event: 'revoke' },
    bind(ben.did, subject('0a')),
    bind(ann.did, subject('0b')),
    { ...bind(ann.did, subject('0a')), event: 'update' },
  ])
  const outcomes = log.map((event) => {
    const applied = roster.apply(event, 0)
    return applied.ok ? 'taken' : applied.error.reason
  })
  expect(outcomes).toEqual(['taken', 'taken', 'taken', 'taken', 'subject_bound'])
  expect(roster.head.sequence).toBe(4)
})

import { signStatement } from '@svc/protocol/base/statement'
import { describe, expect, it } from 'vitest'
import { fetchOf } from '../../test/fetch.ts'
import { REALM } from '../../test/realm.ts'
import { alice, heirOfAlice, mallory } from '../../test/sides.ts'
import { signerOf } from '../../test/signer.ts'
import { Client } from '../client.ts'
import type { Identity } from '../identity/identity.ts'
import { historyOfAlice, judged, MALFORMED, namesOf } from './means.fixture.ts'

const NOW = 1_790_000_000_000
const { heir, evidence, keys } = await heirOfAlice()
const { request } = evidence
const fetch = fetchOf(async ({ url }) => Response.json({ success: true, data: historyOfAlice(url, keys) }))
const client = new Client({ core: REALM, did: 'https://did.test', fetch, now: () => NOW, retries: false })
const org = { orgDid: mallory.did, orgScope: mallory.scope }
const common = { realm: REALM, ...org, inception: null, issuedAt: NOW }
const office = {
  type: 'svc/officer-acceptance/v1',
  ...common,
  officerDid: alice.did,
  rosterHash: 'ab'.repeat(48),
} as const
const membership = {
  type: 'svc/org-acceptance/v1',
  ...common,
  memberDid: alice.did,
  provider: 'login.example.com',
  subjectHash: 'ab'.repeat(48),
} as const

async function accepted(statement: typeof office | typeof membership, by: Identity = alice) {
  return { ...(await signStatement(statement, signerOf(by))), publicKeyB64u: by.publicKeyB64u }
}
const officer = async (by?: Identity) => ({
  format: 'svc/org-accepted/v1',
  acceptance: await accepted(office, by),
  approval: null,
})
const member = async (by?: Identity) => ({ format: 'svc/org-joined/v1', acceptance: await accepted(membership, by) })

describe('the request of a rotation, as svc recovery operator writes it', () => {
  it('is valid by the root key and the new one', async () => {
    const verdict = await judged('statement', request, { client })
    expect(verdict).toMatchObject({ verdict: 'valid', did: alice.did, at: NOW })
    expect(namesOf(verdict)).toEqual(['act ok', 'new_key ok', 'signed ok'])
  })

  it('without a network shows only that the new key signed it', async () => {
    const verdict = await judged('statement', request)
    expect(verdict).toMatchObject({ verdict: 'undecided', needs: 'key_history' })
    expect(namesOf(verdict)).toEqual(['new_key ok', 'act_key unchecked'])
  })

  it('that another key signed, or that was changed, is invalid', async () => {
    const { signatureB64u } = await signStatement(request.statement, signerOf(mallory))
    const invalid = { subject: 'rotation', reason: 'invalid_signature' }
    await expect(judged('statement', { ...request, signatureB64u }, { client })).rejects.toMatchObject(invalid)
    const byOther = { ...request, newKeySignatureB64u: signatureB64u }
    await expect(judged('statement', byOther)).rejects.toMatchObject(invalid)
    const changed = { ...request, statement: { ...request.statement, issuedAt: NOW + 1 } }
    await expect(judged('statement', changed)).rejects.toMatchObject(invalid)
    const far = await signStatement({ ...request.statement, epoch: 9 }, signerOf(heir))
    const unknown = { ...far, newKeySignatureB64u: far.signatureB64u }
    await expect(judged('statement', unknown, { client })).rejects.toMatchObject({ reason: 'unknown_epoch' })
  })
})

describe.each([
  ['an office', officer, 'roster'],
  ['a membership', member, 'membership'],
] as const)('what accepts %s, as svc org accept writes it', (_, make, subject) => {
  it('is valid by the first key without a network', async () => {
    const verdict = await judged('statement', await make())
    expect(verdict).toMatchObject({ verdict: 'valid', did: alice.did, subject: mallory.did, at: NOW })
    expect(namesOf(verdict)).toEqual(['act ok', 'signed ok'])
  })

  it('by a later key needs the history of the keys', async () => {
    expect(await judged('statement', await make(heir))).toMatchObject({ verdict: 'undecided', needs: 'key_history' })
    expect((await judged('statement', await make(heir), { client })).verdict).toBe('valid')
  })

  it('is invalid by a key of somebody else, for another deployment and for another DID', async () => {
    const by = await make(mallory)
    await expect(judged('statement', by, { client })).rejects.toMatchObject({ subject, reason: 'wrong_key' })
    const good = await make()
    const realms = ['https://other.test']
    await expect(judged('statement', good, { realms })).rejects.toMatchObject({ subject, reason: 'wrong_realm' })
    const expectedDid = mallory.did
    await expect(judged('statement', good, { expectedDid })).rejects.toMatchObject({
      subject,
      reason: 'wrong_identity',
    })
    const forged = { ...good, acceptance: { ...good.acceptance, publicKeyB64u: mallory.publicKeyB64u } }
    await expect(judged('statement', forged)).rejects.toMatchObject({ subject, reason: 'invalid_signature' })
  })

  it('that is cut does not have its form', async () => {
    const { format } = await make()
    await expect(judged('statement', { format, acceptance: {} })).rejects.toMatchObject(MALFORMED)
  })
})

it('an approval alone signs a list of officers, which is another file', async () => {
  const approval = { officerDid: alice.did, publicKeyB64u: alice.publicKeyB64u, signatureB64u: request.signatureB64u }
  const verdict = await judged('statement', { format: 'svc/org-accepted/v1', acceptance: null, approval })
  expect(verdict).toMatchObject({ verdict: 'undecided', did: alice.did, needs: 'whole' })
  expect(namesOf(verdict)).toEqual(['approval unchecked'])
})

import type { KnownInception } from '@svc/protocol/base/inception-head'
import { signStatement } from '@svc/protocol/base/statement'
import { EMPTY_ORG_HEAD as HEAD, orgEventHash } from '@svc/protocol/did/org-bindings'
import { expectRefusal } from '@svc/service/testing'
import { inceptionHeadOf, signerOf, type TestCaller } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { caller, device } from '../harness.ts'
import {
  bindBy,
  boundMember,
  callers,
  incepted,
  licensed,
  organization,
  post,
  stored,
  subjectOf,
  termsOf,
} from './organization.fixture.ts'

/** Later than every event that these identities have. */
const LATER = { sequence: 5, hash: 'a7'.repeat(48) }

// Every identity is made, and every event signed, on a machine that does other things, too.

/** Good terms, with an acceptance that names this event. */
async function termsNaming(org: TestCaller, member: TestCaller, inception: KnownInception) {
  const { acceptance, ...terms } = await termsOf(org, member)
  const signed = await signStatement({ ...acceptance!.statement, inception }, signerOf(member.identity))
  return { ...terms, acceptance: { ...signed, publicKeyB64u: member.identity.publicKeyB64u } }
}

describe('an event that is refused', () => {
  const refused: [
    string,
    Parameters<typeof expectRefusal>[1],
    (org: TestCaller, member: TestCaller) => Promise<unknown>,
  ][] = [
    [
      'of another organization',
      'owner_mismatch',
      async (org, member) => bindBy(org, member, { orgDid: member.identity.did }),
    ],
    ['of another scope', 'owner_mismatch', async (org, member) => bindBy(org, member, { orgScope: '0'.repeat(96) })],
    [
      'from the future',
      'statement_expired',
      async (org, member) => bindBy(org, member, { issuedAt: Date.now() + 301_000 }),
    ],
    ['of another epoch', 'stale_epoch', async (org, member) => bindBy(org, member, { rootEpoch: 1 })],
    ['that leaves a place out', 'stale_org_head', async (org, member) => bindBy(org, member, { sequence: 2 })],
    [
      'after another hash',
      'stale_org_head',
      async (org, member) => bindBy(org, member, { previousHash: 'a'.repeat(96) }),
    ],
    ['about the organization itself', 'not_eligible', async (org) => bindBy(org, org)],
    [
      'that was signed by the member',
      'invalid_signature',
      async (org, member) => {
        const { signatureB64u } = await bindBy(member, member, { orgDid: org.identity.did })
        return { ...(await bindBy(org, member)), signatureB64u }
      },
    ],
    [
      'that was changed after it was signed',
      'invalid_signature',
      async (org, member) => {
        const event = await bindBy(org, member)
        return { ...event, statement: { ...event.statement, role: 'admin' } }
      },
    ],
    [
      'with an acceptance of another subject',
      'acceptance_unverifiable',
      async (org, member) => bindBy(org, member, { subjectHash: subjectOf(org.identity.did, 'another') }),
    ],
    [
      'with an acceptance of another member',
      'acceptance_unverifiable',
      async (org, member) => bindBy(org, member, { memberDid: (await caller()).identity.did }),
    ],
    [
      'with an acceptance that another signed',
      'acceptance_unverifiable',
      async (org, member) => {
        const event = await bindBy(org, member)
        const { publicKeyB64u } = (await caller()).identity
        return { ...event, acceptance: { ...event.acceptance, publicKeyB64u } }
      },
    ],
    [
      'with a forged acceptance',
      'acceptance_unverifiable',
      async (org, member) => {
        const event = await bindBy(org, member)
        return { ...event, acceptance: { ...event.acceptance, signatureB64u: event.signatureB64u } }
      },
    ],
    [
      'with the subject in clear',
      'invalid_request',
      async (org, member) => bindBy(org, member, { subjectHash: 'ann@example.com' }),
    ],
    [
      'with a permission that nobody knows',
      'invalid_request',
      async (org, member) => bindBy(org, member, { permissions: ['everything' as never] }),
    ],
    [
      'without its terms',
      'invalid_request',
      async (org, member) => {
        const event = await bindBy(org, member)
        const { type, realm, orgDid, orgScope, rootEpoch, sequence, previousHash, issuedAt } = event.statement
        const place = { orgDid, orgScope, rootEpoch, sequence, previousHash, memberDid: member.identity.did }
        const bare = { type, realm, ...place, event: 'bind', issuedAt }
        return { ...event, ...(await signStatement(bare, signerOf(org.identity))) }
      },
    ],
    [
      'with a member that its kind has not',
      'invalid_request',
      async (org, member) => bindBy(org, member, { suspendedFrom: null }),
    ],
    [
      'that revokes',
      'invalid_request',
      async (org, member) => org.client.members.make({ event: 'revoke', memberDid: member.identity.did }, HEAD),
    ],
  ]
  it.each(refused)('is one %s: %s, and nothing is written', async (_, name, make) => {
    const { org, did } = await organization()
    const member = await caller()
    expectRefusal(await post(org, `/1.0/org/${did}/bind`, await make(org, member)), name)
    expect(await stored(did)).toEqual({ events: [], members: [] })
  })

  it('is one that names an older event of the inception log than the one before', async () => {
    const { org, did } = await organization()
    const [ann, ben] = await callers(2)
    const inception = await inceptionHeadOf(org)
    const first = await bindBy(org, ann!, { inception })
    expect((await post(org, `/1.0/org/${did}/bind`, first)).status).toBe(200)
    const second = await bindBy(org, ben!, { sequence: 2, previousHash: orgEventHash(first), inception: null })
    expectRefusal(await post(org, `/1.0/org/${did}/bind`, second), 'invalid_request')
    expect((await stored(did)).events).toHaveLength(1)
    await org.client.members.suspend(ann!.identity.did)
    expect((await org.client.members.events(2)).events[0]?.statement.inception).toEqual(inception)
  })

  it('is one that names an event which the inception log of the organization does not have', async () => {
    const { org, did } = await organization()
    const member = await caller()
    const theirs = await inceptionHeadOf((await organization()).org)
    const { hash } = await inceptionHeadOf(org)
    for (const inception of [LATER, { sequence: Number.MAX_SAFE_INTEGER, hash }, { sequence: 0, hash }, theirs]) {
      const event = await bindBy(org, member, { inception })
      expectRefusal(await post(org, `/1.0/org/${did}/bind`, event), 'invalid_request')
    }
    expect((await stored(did)).events).toEqual([])
    expect((await post(org, `/1.0/org/${did}/bind`, await bindBy(org, member))).status).toBe(200)
  })

  it('is one with an acceptance that names an older event than the one before', async () => {
    const { org } = await organization()
    const ann = await caller()
    const genesis = await inceptionHeadOf(ann)
    await org.client.members.bind(await termsNaming(org, ann, genesis))
    await expect(org.client.members.update(await termsNaming(org, ann, null))).rejects.toMatchObject({
      status: 403,
      error: 'acceptance_unverifiable',
    })
  })

  it('is one with an acceptance that names an event which the log of the member does not have', async () => {
    const { org, did } = await organization()
    const ann = await caller()
    const { hash } = await inceptionHeadOf(ann)
    for (const inception of [LATER, { sequence: Number.MAX_SAFE_INTEGER, hash }, await inceptionHeadOf(org)]) {
      await expect(org.client.members.bind(await termsNaming(org, ann, inception))).rejects.toMatchObject({
        status: 403,
        error: 'acceptance_unverifiable',
      })
    }
    expect((await stored(did)).events).toEqual([])
    await org.client.members.bind(await termsOf(org, ann))
  })

  it('is one by an identity that is not an organization', async () => {
    const org = await caller()
    const { did } = org.identity
    await licensed(did)
    expectRefusal(await post(org, `/1.0/org/${did}/bind`, await bindBy(org, await caller())), 'not_an_org')
  })

  it('is one on a member that is bound, or is not, or by a subject that another has', async () => {
    const { org, did } = await organization()
    const [ann, ben] = await callers(2)
    const terms = await termsOf(org, ann!)
    const { members } = org.client
    for (const change of ['revoke', 'suspend', 'resume'] as const) {
      await expect(members[change](ann!.identity.did)).rejects.toMatchObject({
        status: 409,
        error: 'member_not_bound',
      })
    }
    await expect(members.update(terms)).rejects.toMatchObject({ error: 'member_not_bound' })
    await members.bind(terms)
    await expect(members.bind(await termsOf(org, ann!))).rejects.toMatchObject({ status: 409, error: 'member_bound' })
    const { subjectHash, provider } = terms
    const taken = { memberDid: ben!.identity.did, provider, subjectHash, role: 'guest' as const }
    await expect(members.bind(taken)).rejects.toMatchObject({ status: 409, error: 'subject_bound' })
    await members.revoke(ann!.identity.did)
    await members.bind(taken)
    expect((await stored(did)).events).toHaveLength(3)
  })

  it('by a device is one without org:write, or that its root key has not signed', async () => {
    const sender = await device({ capabilities: ['org:write'] })
    const { owner } = sender
    await incepted(owner, [await caller()])
    await licensed(owner.identity.did)
    const event = await bindBy(owner, await caller())
    const reader = await device({ capabilities: ['org:read'] })
    await expect(reader.client.members.send(event)).rejects.toMatchObject({ error: 'capability_required' })
    await expect(sender.client.members.bind({ ...(await termsOf(owner, await caller())) })).rejects.toThrow()
    expect((await sender.client.members.send(event)).sequence).toBe(1)
  })
})

describe('an event whose answer was lost', () => {
  it('finds itself in place, and is not appended again', async () => {
    const { org, did } = await organization()
    const event = await bindBy(org, await caller())
    const first = await org.client.members.send(event)
    await boundMember(org)
    expect(await org.client.members.send(event)).toEqual(first)
    expect((await stored(did)).events).toHaveLength(2)
  })

  it('that another overtook names the head to go on from', async () => {
    const { org, did } = await organization()
    const late = await bindBy(org, await caller())
    const { sequence, hash } = await org.client.members.bind(await termsOf(org, await caller()))
    const refusal = await post(org, `/1.0/org/${did}/bind`, late)
    expectRefusal(refusal, 'stale_org_head')
    expect(refusal.body).toMatchObject({ details: { head: { sequence, hash } } })
  })
})

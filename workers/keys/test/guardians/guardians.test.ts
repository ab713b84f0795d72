import { env } from 'cloudflare:workers'
import { signStatement } from '@svc/protocol/base/statement'
import type { SignedGuardianAttestation, SignedGuardianRequest } from '@svc/protocol/keys/guardians'
import { guardianRequestId } from '@svc/protocol/keys/guardians'
import { expectRefusal } from '@svc/service/testing'
import type { TestCaller } from '@svc/testing'
import { REALM, signerOf } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { call, caller, dataOf, deviceFor } from '../harness.ts'

const SUBJECT = 'a7'.repeat(48)
const DAY = 86_400_000
afterEach(() => {
  vi.useRealTimers()
})

async function circle(count: number, threshold: number) {
  const owner = await caller()
  const guardians = await Promise.all(Array.from({ length: count }, () => caller()))
  const terms = { subjectHash: SUBJECT, guardians: guardians.map(({ identity }) => identity.did), threshold }
  const request = await owner.client.guardians.makeRequest(terms)
  return { owner, guardians, request, requestId: guardianRequestId(request.statement) }
}

const open = (owner: TestCaller, request: SignedGuardianRequest) =>
  call(owner, 'POST', '/api/guardian/attest', { body: { request } })

function attestationOf(
  { identity }: TestCaller,
  request: SignedGuardianRequest,
  members: Partial<SignedGuardianAttestation['statement']> = {},
): Promise<SignedGuardianAttestation> {
  const { did, subjectHash } = request.statement
  return signStatement(
    {
      type: 'svc/guardian-attestation/v1',
      realm: REALM,
      requestId: guardianRequestId(request.statement),
      did,
      subjectHash,
      guardianDid: identity.did,
      inception: null,
      issuedAt: Date.now(),
      ...members,
    },
    signerOf(identity),
  )
}

const attest = async (guardian: TestCaller, request: SignedGuardianRequest, members = {}) =>
  call(guardian, 'POST', '/api/guardian/attest', {
    body: { attestation: await attestationOf(guardian, request, members) },
  })

describe('guardians', () => {
  it('meet a threshold of two of three, and the SDK checks every signature', async () => {
    const { owner, guardians, request, requestId } = await circle(3, 2)
    const [a, b, c] = guardians as [TestCaller, TestCaller, TestCaller]
    expect(await owner.client.guardians.open(request)).toMatchObject({ requestId, state: 'pending', attested: 0 })
    expect(await a.client.guardians.attest(requestId, SUBJECT)).toMatchObject({ state: 'pending', attested: 1 })
    expect(await b.client.guardians.attest(requestId, SUBJECT)).toMatchObject({ state: 'met', attested: 2 })
    expect(await c.client.guardians.attest(requestId, SUBJECT)).toMatchObject({ state: 'met', attested: 3 })
    const { client } = await caller({ genesis: false })
    expect((await client.guardians.status(requestId)).attestations).toHaveLength(3)
    await expect(a.client.guardians.attest(requestId, 'b8'.repeat(48))).rejects.toThrow('a different subject')
  })

  it('attest once each: a duplicate is refused', async () => {
    const { owner, guardians, request } = await circle(2, 2)
    dataOf(await open(owner, request))
    dataOf(await attest(guardians[0]!, request))
    expectRefusal(await attest(guardians[0]!, request), 'guardian_attested')
  })

  it('are only those whom the owner has named', async () => {
    const { owner, guardians, request } = await circle(2, 1)
    dataOf(await open(owner, request))
    expectRefusal(await attest(await caller(), request), 'unknown_signer')
    expectRefusal(await attest(owner, request), 'unknown_signer')
    const guardianDid = guardians[1]!.identity.did
    expectRefusal(await attest(guardians[0]!, request, { guardianDid }), 'owner_mismatch')
  })

  it('attest this very request, with their own root key', async () => {
    const { owner, guardians, request } = await circle(2, 1)
    dataOf(await open(owner, request))
    const [guardian, other] = guardians as [TestCaller, TestCaller]
    expectRefusal(await attest(guardian, request, { subjectHash: 'b8'.repeat(48) }), 'attestation_mismatch')
    expectRefusal(await attest(guardian, request, { did: other.identity.did }), 'attestation_mismatch')
    expectRefusal(await attest(guardian, request, { requestId: '0'.repeat(96) }), 'not_found')
    const { statement } = await attestationOf(guardian, request)
    const forged = await signStatement(statement, signerOf(other.identity))
    const body = { attestation: forged }
    expectRefusal(await call(guardian, 'POST', '/api/guardian/attest', { body }), 'invalid_signature')
    const device = await deviceFor(guardian)
    expectRefusal(await call(device, 'POST', '/api/guardian/attest', { body }), 'capability_required')
  })

  it('attest until the request has ended; what was met stays met', async () => {
    const { owner, guardians, request, requestId } = await circle(3, 1)
    dataOf(await open(owner, request))
    const pending = await circle(1, 1)
    dataOf(await open(pending.owner, pending.request))
    dataOf(await attest(guardians[0]!, request))
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 8 * DAY })
    expectRefusal(await attest(guardians[1]!, request), 'guardian_closed')
    const status = (id: string) => call(null, 'GET', `/api/guardian/status/${id}`)
    expect(dataOf(await status(requestId))).toMatchObject({ state: 'met' })
    expect(dataOf(await status(pending.requestId))).toMatchObject({ state: 'expired', attested: 0 })
    for (const id of ['0'.repeat(96), 'x', requestId.toUpperCase(), `${requestId}0`]) {
      expectRefusal(await status(id), 'not_found')
    }
  })

  it('twenty attestations of one guardian at once: one is taken', async () => {
    const { owner, guardians, request } = await circle(1, 1)
    dataOf(await open(owner, request))
    const answers = await Promise.all(Array.from({ length: 20 }, () => attest(guardians[0]!, request)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const answer of answers) if (answer.status !== 200) expectRefusal(answer, 'guardian_attested')
  }, 30_000)
})

describe('a request', () => {
  it('is opened once, by its owner', async () => {
    const { owner, guardians, request } = await circle(2, 2)
    const first = dataOf(await open(owner, request))
    expect(dataOf(await open(owner, request))).toEqual(first)
    expectRefusal(await open(guardians[0]!, request), 'owner_mismatch')
    const forged = await signStatement(request.statement, signerOf(guardians[0]!.identity))
    expectRefusal(await open(owner, forged), 'invalid_signature')
  })

  it('names each guardian once, not its owner, and a threshold that they can meet', async () => {
    const { owner, request } = await circle(2, 2)
    const [one = ''] = request.statement.guardians
    const now = Date.now()
    for (const [members, name] of [
      [{ guardians: [one, one] }, 'duplicate_signer'],
      [{ guardians: [one, owner.identity.did] }, 'guardian_self'],
      [{ threshold: 3 }, 'threshold_out_of_range'],
      [{ expiresAt: now - 1 }, 'statement_expired'],
      [{ expiresAt: now + 31 * DAY }, 'statement_expired'],
      [{ issuedAt: now + 301_000 }, 'statement_expired'],
      [{ scope: '0'.repeat(96) }, 'owner_mismatch'],
    ] as const) {
      const changed = await signStatement(
        {
          ...request.statement,
          ...members,
          guardians: [...('guardians' in members ? members.guardians : request.statement.guardians)],
        },
        signerOf(owner.identity),
      )
      expectRefusal(await open(owner, changed), name)
    }
  })

  it('is one of twenty that an identity has open', async () => {
    const owner = await caller()
    const guardian = `did:svc:${'A'.repeat(32)}`
    const request = () =>
      owner.client.guardians.makeRequest({ subjectHash: SUBJECT, guardians: [guardian], threshold: 1 })
    for (let i = 0; i < 20; i++) dataOf(await open(owner, await request()))
    expectRefusal(await open(owner, await request()), 'guardian_limit')
    // As after a rotation: those of another root key do not count.
    const ofAnother = 'UPDATE guardian_requests SET root_epoch = root_epoch + ? WHERE did = ?'
    const move = (by: number) => env.DB.prepare(ofAnother).bind(by, owner.identity.did).run()
    await move(-1)
    dataOf(await open(owner, await request()))
    await move(1)
    expectRefusal(await open(owner, await request()), 'guardian_limit')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 8 * DAY })
    dataOf(await open(owner, await request()))
  }, 30_000)
})

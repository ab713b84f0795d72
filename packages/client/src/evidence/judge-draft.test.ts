import { describe, expect, it } from 'vitest'
import { REALM } from '../../test/realm.ts'
import { alice, mallory } from '../../test/sides.ts'
import { detectFile } from './detect/detect.ts'
import { judge } from './judge.ts'
import { MALFORMED, OFFLINE, text } from './means.fixture.ts'

const HASH = 'ab'.repeat(48)
const officers = {
  type: 'svc/org-inception/v1',
  realm: REALM,
  did: alice.did,
  scope: alice.scope,
  sequence: 1,
  previousHash: HASH,
  rootEpoch: 0,
  officers: [alice.did, mallory.did],
  quorum: 2,
  issuedAt: 1,
}
const invitation = {
  format: 'svc/org-invitation/v1',
  orgDid: alice.did,
  memberDid: mallory.did,
  provider: 'login.example.com',
  subjectHash: HASH,
  role: 'member',
  permissions: [],
}
const answers = { format: 'svc/evidence/v1', core: REALM, at: 1, pin: null, answers: {} }
const signature = { alg: 'ml-dsa-65', publicKeyB64u: 'AAAA', signatureB64u: 'AAAA', signedAt: '2026-11-01T00:00:00Z' }

const judgeFile = (content: object) => {
  const bytes = text(JSON.stringify(content))
  return judge(detectFile(bytes), bytes, OFFLINE)
}

describe('what commands hand to each other', () => {
  it.each([
    ['officers', officers],
    ['invitation', invitation],
    ['answers', answers],
    ['policy_signature', signature],
  ])('as %s is named, and proves nothing by itself', async (as, content) => {
    expect(await judgeFile(content)).toMatchObject({
      kind: 'draft',
      verdict: 'undecided',
      needs: 'whole',
      checks: [{ check: 'draft', result: 'unchecked', found: { as } }],
    })
  })

  it.each([
    ['officers', { ...officers, quorum: 'two' }],
    ['an invitation', { ...invitation, memberDid: 'nobody' }],
    ['answers', { ...answers, at: '' }],
    ['a policy', { policy: {}, previousPolicyId: HASH, nonce: 'n' }],
  ])('as %s that was cut does not have its form', async (_, content) => {
    await expect(judgeFile(content)).rejects.toMatchObject(MALFORMED)
  })
})

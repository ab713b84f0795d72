import { guardianRequestId } from '@svc/protocol/keys/guardians'
import { REALM } from '../realm.ts'
import { alice, mallory } from '../sides.ts'
import { data, keyAnswers, type Lie, NOW, OTHER_REALM, signedBy, verifying } from './situation.ts'

/** A request to a guardian, who attested it. */
async function guardians() {
  const request = await signedBy(alice, {
    type: 'svc/guardian-request/v1' as const,
    realm: REALM,
    did: alice.did,
    scope: alice.scope,
    subjectHash: 'a7'.repeat(48),
    guardians: [mallory.did],
    threshold: 1,
    expiresAt: NOW + 60_000,
    nonce: 'n_000000000000-1n_0000',
    inception: null,
    issuedAt: NOW,
  })
  const requestId = guardianRequestId(request.statement)
  const about = { realm: REALM, requestId, did: alice.did, subjectHash: request.statement.subjectHash }
  const statement = {
    type: 'svc/guardian-attestation/v1',
    ...about,
    guardianDid: mallory.did,
    inception: null,
    issuedAt: NOW,
  }
  const attested = async (changes: object, by = mallory) => ({
    attestation: await signedBy(by, statement, changes),
    publicKeyB64u: mallory.publicKeyB64u,
    attestedAt: NOW,
  })
  const status = {
    requestId,
    state: 'met',
    threshold: 1,
    attested: 1,
    request,
    attestations: [await attested({})],
  }
  return {
    status,
    attested,
    options: { identity: alice },
    args: () => [requestId],
    answers: () => ({ ...keyAnswers(alice, mallory), [`/api/guardian/status/${requestId}`]: data(status) }),
  }
}
type Guarded = Awaited<ReturnType<typeof guardians>>
const ofGuardians = (lie: string, reason: Lie['reason'], tell: Lie<Guarded>['tell']): Lie<Guarded> => ({
  lie,
  reason,
  tell,
  subject: 'guardians',
})
const unattested = (lie: string, changes: object, by = mallory): Lie<Guarded> => ({
  ...ofGuardians(lie, 'invalid_signature', async ({ status, attested }) => {
    status.attestations = [await attested(changes, by)]
  }),
  where: { member: 'attestations' },
})

export const GUARDIANS = [
  verifying({
    name: 'client.guardians.status',
    honest: guardians,
    lies: [
      ofGuardians('answers with another request', 'different_answer', async ({ status }) => {
        status.request = await signedBy(alice, status.request.statement, { threshold: 2 })
      }),
      {
        ...ofGuardians('shows a request that the owner did not sign', 'invalid_signature', async ({ status }) => {
          status.request = await signedBy(mallory, status.request.statement)
        }),
        where: { member: 'request' },
      },
      unattested('shows an attestation signed by another key', {}, alice),
      unattested('shows an attestation for another deployment', { realm: OTHER_REALM }),
      unattested('shows an attestation of another subject', { subjectHash: 'b7'.repeat(48) }),
      unattested('shows an attestation of somebody who is not a guardian', { guardianDid: alice.did }, alice),
      ofGuardians('counts more attestations than there are', 'mismatch', ({ status }) => {
        status.attested = 2
      }),
      ofGuardians('names another threshold', 'mismatch', ({ status }) => {
        status.threshold = 2
      }),
      ofGuardians('says that too few attested', 'mismatch', ({ status }) => {
        status.state = 'pending'
      }),
    ],
  }),
]

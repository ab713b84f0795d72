import { guardianRequestId } from '@svc/protocol/keys/guardians'
import { REALM } from '../realm.ts'
import { alice, heirOfAlice, mallory } from '../sides.ts'
import { data, keyAnswers, keysOf, type Lie, NOW, OTHER_REALM, signedBy, verifying } from './situation.ts'

const parties = { owner: alice, guardian: mallory }

/** A request to a guardian, who attested it. */
async function guardians({ owner, guardian } = parties, keys: object = {}) {
  const request = await signedBy(owner, {
    type: 'svc/guardian-request/v1' as const,
    realm: REALM,
    did: owner.did,
    scope: owner.scope,
    subjectHash: 'a7'.repeat(48),
    guardians: [guardian.did],
    threshold: 1,
    expiresAt: NOW + 60_000,
    nonce: 'n_000000000000-1n_0000',
    inception: null,
    issuedAt: NOW,
  })
  const requestId = guardianRequestId(request.statement)
  const about = { realm: REALM, requestId, did: owner.did, subjectHash: request.statement.subjectHash }
  const statement = {
    type: 'svc/guardian-attestation/v1',
    ...about,
    guardianDid: guardian.did,
    inception: null,
    issuedAt: NOW,
  }
  const attested = async (changes: object, by = guardian) => ({
    attestation: await signedBy(by, statement, changes),
    publicKeyB64u: guardian.publicKeyB64u,
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
    options: { identity: owner },
    args: () => [requestId],
    answers: () => ({ ...keyAnswers(alice, mallory), ...keys, [`/api/guardian/status/${requestId}`]: data(status) }),
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

/** The same situation after a rotation that ended the first key of Alice at `NOW`. */
async function afterRotation(owner = alice, guardian = mallory) {
  const { keys } = await heirOfAlice()
  const history = (query: URLSearchParams) => data({ ...keysOf(alice), keys: keys.slice(Number(query.get('from'))) })
  return guardians({ owner, guardian }, { [`/api/chain/root/${alice.did}/history`]: history })
}
const late = ({ status }: Guarded) => {
  status.attestations[0]!.attestedAt = NOW + 1
}

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
  verifying({
    name: 'client.guardians.status',
    given: 'after a rotation of the owner',
    honest: () => afterRotation(),
    lies: [
      {
        ...ofGuardians(
          'shows a request of the previous key that a guardian attested after the rotation',
          'unordered',
          late,
        ),
        where: { member: 'request' },
      },
      {
        ...ofGuardians('shows a request of the previous key without attestations', 'unordered', ({ status }) => {
          Object.assign(status, { state: 'pending', attested: 0, attestations: [] })
        }),
        where: { member: 'request' },
      },
    ],
  }),
  verifying({
    name: 'client.guardians.status',
    given: 'after a rotation of a guardian',
    honest: () => afterRotation(mallory, alice),
    lies: [
      {
        ...ofGuardians(
          'counts an attestation by the previous key that it accepted after the rotation',
          'unordered',
          late,
        ),
        where: { member: 'attestations' },
      },
    ],
  }),
]

import { projectionsOf } from '@svc/protocol/consent/projection'
import { alice, mallory } from '../../sides.ts'
import { keyAnswers, type Lie, NOW, verifying } from '../situation.ts'
import { act, DISALLOW, HASH, PATH, signatureOf } from './acts.ts'

/** A record with its newest act. */
async function read() {
  const { version, recorded_at, public_key_b64u, ...signed } = await act(1, 'create', DISALLOW)
  const record = {
    found: true,
    hash: HASH,
    source: 'declared',
    content_hash: HASH,
    creator_did: alice.did,
    public_key_b64u: public_key_b64u,
    preferences: DISALLOW,
    version,
    created_at: NOW,
    updated_at: recorded_at,
    signed,
    projections: projectionsOf(DISALLOW),
  }
  return { record, args: () => [HASH], answers: () => ({ ...keyAnswers(alice), [PATH]: record }) }
}
const falseRecord = (
  lie: string,
  reason: Lie['reason'],
  tell: Lie<Awaited<ReturnType<typeof read>>>['tell'],
): Lie<Awaited<ReturnType<typeof read>>> => ({ lie, reason, tell, subject: 'consent', where: { member: 'signed' } })

/** What applies to an identifier, as one answer says it. */
export const CONSENT_RECORDS = [
  verifying({
    name: 'client.consent.read',
    honest: read,
    lies: [
      {
        lie: 'answers for another identifier',
        tell: ({ record }) => {
          record.hash = 'another identifier'
        },
        subject: 'consent',
        reason: 'different_answer',
      },
      falseRecord('changes the preferences', 'mismatch', ({ record }) => {
        record.preferences = { search: 'allow' }
      }),
      falseRecord('changes the newest act', 'invalid_signature', ({ record }) => {
        record.preferences = { search: 'allow' }
        record.signed.preferences = { search: 'allow' }
      }),
      falseRecord('names another key', 'invalid_signature', ({ record }) => {
        record.public_key_b64u = mallory.publicKeyB64u
      }),
      falseRecord('names another creator', 'invalid_signature', ({ record }) => {
        record.creator_did = mallory.did
      }),
      falseRecord('shows an act signed by somebody else', 'wrong_key', async ({ record }) => {
        record.public_key_b64u = mallory.publicKeyB64u
        record.signed.signature_b64u = await signatureOf(DISALLOW, mallory)
      }),
    ],
  }),
  verifying({
    name: 'client.consent.readMany',
    honest: () => {
      const answer = { results: [{ found: false, hash: HASH, source: 'default' }] }
      return { answer, args: () => [[HASH]], answers: () => ({ '/api/v1/consent/batch': answer }) }
    },
    lies: [
      {
        lie: 'answers for another identifier',
        tell: ({ answer }) => void Object.assign(answer.results[0]!, { hash: 'another identifier' }),
        subject: 'consent',
        reason: 'different_answer',
      },
      {
        lie: 'leaves out an identifier',
        tell: ({ answer }) => void answer.results.pop(),
        subject: 'consent',
        reason: 'different_answer',
      },
    ],
  }),
  verifying({
    name: 'client.consent.optOut',
    honest: () => {
      const found = { found: false, creator_did: null, source: 'default', usage: 'train-ai=n' }
      const answer = { hash: HASH, opt_out: true, ...found }
      return { answer, args: () => [HASH], answers: () => ({ '/api/v1/partner/opt-out': answer }) }
    },
    lies: [
      {
        lie: 'answers for another identifier',
        tell: ({ answer }) => {
          answer.hash = 'another identifier'
        },
        subject: 'consent',
        reason: 'different_answer',
      },
    ],
  }),
]

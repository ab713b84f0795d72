import { encodeBase64url } from '@svc/protocol/base/base64url'
import { bucketOf } from '@svc/protocol/base/buckets'
import { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import { CONSENT_BUCKETS } from '@svc/protocol/consent/buckets'
import { type ConsentAct, consentSignedBytes, type Preferences } from '@svc/protocol/consent/consent'
import { messageOf } from '@svc/protocol/consent/history'
import { projectionsOf } from '@svc/protocol/consent/projection'
import { entriesHash, type SnapshotPage } from '@svc/protocol/consent/snapshot'
import { REALMS } from '../realm.ts'
import { alice, mallory } from '../sides.ts'
import { signerOf } from '../signer.ts'
import { keyAnswers, type Lie, NOW, OTHER_REALM, verifying } from './situation.ts'

const HASH = 'identifier of #1'
const DISALLOW: Preferences = { ai_training: 'disallow' }
const PATH = `/api/v1/consent/${encodeURIComponent(HASH)}`

async function signatureOf(preferences: Preferences | null, by = alice, creator = alice.did): Promise<string> {
  return encodeBase64url(await signerOf(by)(consentSignedBytes(messageOf(HASH, creator, { preferences }))))
}

async function act(version: number, action: ConsentAct['action'], preferences: Preferences, by = alice) {
  return {
    version,
    action,
    preferences: preferences,
    public_key_b64u: by.publicKeyB64u,
    signature_b64u: await signatureOf(preferences, by),
    signer: { kind: 'root' as const, epoch: 0 },
    recorded_at: NOW + version,
  }
}

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

/** Two acts, and the claim of somebody else. */
async function history() {
  const claim = {
    creator_did: mallory.did,
    preferences: { search: 'allow' as const },
    signature_b64u: await signatureOf({ search: 'allow' }, mallory, mallory.did),
    signer: { kind: 'root' as const, epoch: 0 },
    public_key_b64u: mallory.publicKeyB64u,
    recorded_at: NOW + 3,
    settled_at: null,
  }
  const page = {
    hash: HASH,
    creator_did: alice.did,
    at: NOW + 10,
    state: { preferences: DISALLOW, version: 2, source: 'declared' },
    entries: [await act(1, 'create', DISALLOW), await act(2, 'update', { search: 'allow' })],
    claims: [claim],
    next: null as number | null,
  }
  return { page, args: () => [HASH], answers: () => ({ ...keyAnswers(alice, mallory), [`${PATH}/history`]: page }) }
}
const falseAct = (
  lie: string,
  reason: Lie['reason'],
  version: number,
  tell: Lie<Awaited<ReturnType<typeof history>>>['tell'],
): Lie<Awaited<ReturnType<typeof history>>> => ({ lie, reason, tell, subject: 'consent', where: { version } })

const seeds = { ours: '0f'.repeat(32), other: '0e'.repeat(32) }
const AT = Math.floor(NOW / 3_600_000) * 3_600_000
const BUCKET = bucketOf(HASH)
const MIDDLE = `${HASH} and more`

async function pageOf(
  from: string | null,
  to: string | null,
  { seed = seeds.ours, realm = REALMS[0], at = AT, bucket = BUCKET } = {},
): Promise<SnapshotPage> {
  const hash = from === null ? HASH : null
  const entries = hash === null ? [] : [{ hash, creator_did: alice.did, preferences: DISALLOW }]
  const signed = await new DeploymentSigner(seed, [realm]).sign({
    type: 'svc/consent-snapshot/v1' as const,
    at,
    bucket,
    buckets: CONSENT_BUCKETS,
    from,
    to,
    count: entries.length,
    entriesHash: await entriesHash(entries),
    issuedAt: NOW,
  })
  if (!signed) throw new Error('unsigned')
  return { ...signed, entries }
}

/** Two pages of a bucket, under a key that the client has. */
async function snapshot() {
  const key = (await new DeploymentSigner(seeds.ours, REALMS).publicKey(NOW)) ?? ''
  const situation = {
    key,
    pages: [await pageOf(null, MIDDLE), await pageOf(MIDDLE, null)],
    options: { consentKeyB64u: key },
    args: (): unknown[] => [{ buckets: [BUCKET] }],
    answers: () => ({
      '/api/v1/consent/snapshot': (query: URLSearchParams) => situation.pages[query.has('from') ? 1 : 0],
    }),
  }
  return situation
}
type Snapshot = Awaited<ReturnType<typeof snapshot>>
const falsePage = (lie: string, tell: Lie<Snapshot>['tell']): Lie<Snapshot> => ({
  lie,
  tell,
  subject: 'snapshot',
  reason: 'invalid_signature',
  where: { position: 0 },
})
const falsePages: readonly Lie<Snapshot>[] = [
  falsePage('changes an entry', (s) => {
    const entries = [{ hash: HASH, creator_did: alice.did, preferences: { search: 'allow' as const } }]
    s.pages[0] = { ...s.pages[0]!, entries }
  }),
  falsePage('leaves out an entry', (s) => {
    s.pages[0] = { ...s.pages[0]!, entries: [] }
  }),
  falsePage('shows a page signed by another key', async (s) => {
    s.pages[0] = await pageOf(null, MIDDLE, { seed: seeds.other })
  }),
  falsePage('shows a page for another deployment', async (s) => {
    s.pages[0] = await pageOf(null, MIDDLE, { realm: OTHER_REALM })
  }),
]

export const CONSENT = [
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
  verifying({
    name: 'client.consent.history',
    honest: history,
    lies: [
      {
        lie: 'answers for another identifier',
        tell: (s) => {
          s.page.hash = 'another identifier'
        },
        subject: 'consent',
        reason: 'different_answer',
      },
      {
        lie: 'leaves out a page',
        tell: (s) => {
          s.page.next = 7
        },
        subject: 'consent',
        reason: 'left_out',
        where: { version: 7 },
      },
      falseAct('leaves out an act', 'gap', 2, (s) => void s.page.entries.shift()),
      falseAct('changes an act', 'signature', 2, (s) => {
        s.page.entries[1]!.preferences = DISALLOW
      }),
      falseAct('shows an act signed by somebody else', 'key', 2, async (s) => {
        s.page.entries[1] = await act(2, 'update', { search: 'allow' }, mallory)
      }),
      falseAct('dates an act before the one that it follows', 'time', 2, (s) => {
        s.page.entries[1]!.recorded_at = NOW
      }),
      {
        lie: 'changes the claim of somebody else',
        tell: (s) => void Object.assign(s.page.claims[0]!, { preferences: DISALLOW }),
        subject: 'consent',
        reason: 'invalid_signature',
        where: { member: 'claims' },
      },
    ],
  }),
  verifying({
    name: 'client.consent.snapshot',
    honest: snapshot,
    lies: [
      ...falsePages,
      {
        lie: 'answers with another bucket',
        tell: async (s) => {
          s.pages[0] = await pageOf(null, MIDDLE, { bucket: BUCKET + 1 })
        },
        subject: 'snapshot',
        reason: 'different_answer',
      },
      {
        lie: 'continues with a page of another hour',
        tell: async (s) => {
          s.pages[1] = await pageOf(MIDDLE, null, { at: AT - 3_600_000 })
        },
        subject: 'snapshot',
        reason: 'different_answer',
      },
    ],
  }),
  verifying({
    name: 'ConsentSnapshot.open',
    honest: async () => {
      const situation = await snapshot()
      const of = async () => (await import('../../src/verify.ts')).ConsentSnapshot
      return Object.assign(situation, { of, args: () => [situation.pages, situation.key, REALMS] })
    },
    lies: [
      ...falsePages,
      {
        lie: 'leaves out the last page',
        tell: (s) => void s.pages.pop(),
        subject: 'snapshot',
        reason: 'left_out',
        where: { position: 1 },
      },
      {
        lie: 'leaves out the first page',
        tell: (s) => void s.pages.shift(),
        subject: 'snapshot',
        reason: 'left_out',
        where: { position: 0 },
      },
      {
        lie: 'continues with a page of another hour',
        tell: async (s) => {
          s.pages[1] = await pageOf(MIDDLE, null, { at: AT - 3_600_000 })
        },
        subject: 'snapshot',
        reason: 'left_out',
        where: { position: 1 },
      },
      { lie: 'shows no page at all', tell: (s) => void s.pages.splice(0), subject: 'snapshot', reason: 'empty' },
    ],
  }),
]

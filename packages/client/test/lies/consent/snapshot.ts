import { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import { CONSENT_BUCKETS, consentBucketOf } from '@svc/protocol/consent/buckets'
import { creatorHash, identifierHash } from '@svc/protocol/consent/identifiers'
import { entriesHash, type SnapshotPage } from '@svc/protocol/consent/snapshot'
import { REALMS } from '../../realm.ts'
import { alice } from '../../sides.ts'
import { type Lie, NOW, OTHER_REALM, verifying } from '../situation.ts'
import { DISALLOW, HASH } from './acts.ts'

const seeds = { ours: '0f'.repeat(32), other: '0e'.repeat(32) }
const AT = Math.floor(NOW / 3_600_000) * 3_600_000
const BUCKET = consentBucketOf(HASH)
const ENTRY = {
  identifier_hash: identifierHash(HASH),
  creator_hash: creatorHash(HASH, alice.did),
  preferences: DISALLOW,
}
/** The page from the first hash of the bucket ends with this one. */
const MIDDLE = ENTRY.identifier_hash

async function pageOf(
  from: string | null,
  to: string | null,
  { seed = seeds.ours, realm = REALMS[0], at = AT, bucket = BUCKET } = {},
): Promise<SnapshotPage> {
  const entries = from === null ? [ENTRY] : []
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
    const entries = [{ ...ENTRY, preferences: { search: 'allow' as const } }]
    s.pages[0] = { ...s.pages[0]!, entries }
  }),
  falsePage('leaves out an entry', (s) => {
    s.pages[0] = { ...s.pages[0]!, entries: [] }
  }),
  {
    ...falsePage('shows a page signed by another key', async (s) => {
      s.pages[0] = await pageOf(null, MIDDLE, { seed: seeds.other })
    }),
    reason: 'wrong_key',
  },
  falsePage('shows a page for another deployment', async (s) => {
    s.pages[0] = await pageOf(null, MIDDLE, { realm: OTHER_REALM })
  }),
]

export const CONSENT_SNAPSHOT = [
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
      const of = async () => (await import('../../../src/verify.ts')).ConsentSnapshot
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

import { defineFaults } from '../fault.ts'

/** The consent Worker: who may declare, in what order acts count, and what readers are shown. */
export const CONSENT_FAULTS = defineFaults([
  {
    id: 'consent-signature',
    about: 'Consent is declared without a valid signature',
    edits: [
      { find: "if (!isSigned) return { authorized: false, questionHash, reason: 'invalid_signature' }", replace: '' },
    ],
    projects: ['provenance', 'consent'],
    tests: ['test/consent-authority/consent-authority.test'],
  },
  {
    id: 'consent-held',
    about: 'A second publisher can take over an identifier',
    edits: [{ find: "if (record.creatorDid !== write.creatorDid) return refused('consent_held')", replace: '' }],
    projects: ['consent'],
    tests: ['src/consent/rules.test'],
  },
  {
    id: 'consent-replay',
    about: 'A superseded act can be replayed (rule in TypeScript)',
    edits: [{ find: "if (record.remembersAct) return refused('consent_replay')", replace: '' }],
    projects: ['consent'],
    tests: ['src/consent/rules.test'],
  },
  {
    id: 'consent-replay-store',
    about: 'A store forgets which signatures it has accepted',
    edits: [{ find: 'actHash !== null && this.remembers(row.id, actHash)', replace: 'false' }],
    projects: ['consent'],
    tests: ['test/consent/writing.test'],
  },
  {
    id: 'consent-rule-store',
    about: 'A store writes what the rule refuses',
    edits: [
      {
        find: "if (decideWrite(known?.record ?? null, act).is !== 'proceed') return known?.record ?? null",
        replace: '',
      },
    ],
    projects: ['consent'],
    tests: ['test/consent/store-writes.test'],
  },
  {
    id: 'consent-owned',
    about: 'A store answers for buckets that it does not have',
    edits: [
      {
        find: "if (row?.state === 'open' || row?.state === 'sealed') return null",
        replace: 'if (bucket >= 0) return null',
      },
    ],
    projects: ['consent'],
    tests: ['test/consent/placement.test'],
  },
  {
    id: 'consent-move-changes',
    about: 'Records that change while their bucket is copied are not copied again',
    edits: [{ find: '    this.moves.note(bucket, id)\n', replace: '' }],
    projects: ['consent'],
    tests: ['test/move/kills.test'],
  },
  {
    id: 'consent-newest',
    about: 'The history reports the oldest state instead of the newest',
    edits: [
      {
        find: 'WHERE record = ? AND recorded_at <= ? ORDER BY version DESC LIMIT 1',
        replace: 'WHERE record = ? AND recorded_at <= ? ORDER BY version LIMIT 1',
      },
    ],
    projects: ['consent'],
    tests: ['test/consent/history.test'],
  },
  {
    id: 'consent-cache-kept',
    about: 'A write leaves the old answer in the cache',
    edits: [{ find: 'await cache.drop(hash)', replace: '' }],
    projects: ['consent'],
    tests: ['test/consent/reading.test'],
  },
  {
    id: 'consent-cache-age',
    about: 'Cached answers never expire',
    edits: [
      {
        find: 'return now >= readAt && now < readAt + maxAgeSeconds * 1000',
        replace: 'return now >= readAt && maxAgeSeconds > 0',
      },
    ],
    projects: ['consent'],
    tests: ['test/consent/reading.test'],
  },
  {
    id: 'consent-revoked-read',
    about: 'Revoked declarations are still returned',
    edits: [{ find: "return record?.status === 'published' ? record : null", replace: 'return record' }],
    projects: ['consent'],
    tests: ['test/consent/writing.test'],
  },
  {
    id: 'consent-budget-races',
    about: 'Writes at the same moment exceed the budget of their creator',
    edits: [{ find: 'records + claims + under.records', replace: 'records + claims' }],
    projects: ['consent'],
    tests: ['test/consent/budget.test'],
  },
  {
    id: 'consent-claim-replay',
    about: 'A withdrawn claim comes back when its signature is sent again',
    edits: [{ find: 'spent.includes(actHash) || spent.length', replace: 'spent.length' }],
    projects: ['consent'],
    tests: ['test/consent/claims.test'],
  },
  {
    id: 'settle-keeps-declaration',
    about: 'After a settlement, the declaration of the creator before goes on',
    edits: [
      {
        find: "{ creatorDid, preferences, status: 'revoked', version,",
        replace: '{ creatorDid, preferences, status: record.status, version,',
      },
    ],
    projects: ['consent'],
    tests: ['test/consent/settlement.test'],
  },
  {
    id: 'settle-holder',
    about: 'Passing an identifier to its holder ends what the holder has declared',
    edits: [{ find: 'if (known.record.creatorDid !== creatorDid && !this.', replace: 'if (!this.' }],
    projects: ['consent'],
    tests: ['test/consent/settlement.test'],
  },
])

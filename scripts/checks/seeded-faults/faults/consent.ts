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
    id: 'consent-replay-sql',
    about: 'A superseded act can be replayed (rule in SQL)',
    edits: [
      {
        find: `AND status = 'published' AND version - held_from < \${MAX_ACTS} AND \${IS_NEW} AND \${hasRoom(`,
        replace: `AND status = 'published' AND version - held_from < \${MAX_ACTS} AND \${hasRoom(`,
      },
    ],
    projects: ['consent'],
    tests: ['test/consent/conditional-writes.test'],
  },
  {
    id: 'consent-owner-sql',
    about: 'An update changes a record that has another owner (rule in SQL)',
    edits: [
      {
        find: `WHERE content_hash = ?1 AND creator_did = ?2 AND status = 'published' AND version - held_from < \${MAX_ACTS}`,
        replace: `WHERE content_hash = ?1 AND ?2 <> '' AND status = 'published' AND version - held_from < \${MAX_ACTS}`,
      },
    ],
    projects: ['consent'],
    tests: ['test/consent/conditional-writes.test'],
  },
  {
    id: 'consent-newest',
    about: 'The history reports the oldest state instead of the newest',
    edits: [
      {
        find: 'WHERE content_hash = ?1 AND recorded_at <= ?2 ORDER BY version DESC LIMIT 1',
        replace: 'WHERE content_hash = ?1 AND recorded_at <= ?2 ORDER BY version LIMIT 1',
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
    id: 'consent-budget-sql',
    about: 'Writes at the same moment exceed the budget of their creator',
    edits: [{ find: "'records + claims < ?7 AND acts < ?8'", replace: "'records < ?7 + 20 AND acts < ?8'" }],
    projects: ['consent'],
    tests: ['test/consent/budget.test'],
  },
  {
    id: 'consent-claim-replay',
    about: 'A withdrawn claim comes back when its signature is sent again',
    edits: [
      {
        find: `    AND NOT EXISTS (SELECT 1 FROM json_each(consent_claims.spent) WHERE value = ?3)\``,
        replace: '`',
      },
    ],
    projects: ['consent'],
    tests: ['test/consent/claims.test'],
  },
  {
    id: 'settle-keeps-declaration',
    about: 'After a settlement, the declaration of the creator before goes on',
    edits: [{ find: "SET creator_did = ?3, status = 'revoked', version", replace: 'SET creator_did = ?3, version' }],
    projects: ['consent'],
    tests: ['test/consent/settlement.test'],
  },
  {
    id: 'settle-holder',
    about: 'Passing an identifier to its holder ends what the holder has declared',
    edits: [{ find: 'WHERE content_hash = ?1 AND creator_did <> ?8', replace: "WHERE content_hash = ?1 AND ?8 <> ''" }],
    projects: ['consent'],
    tests: ['test/consent/settlement.test'],
  },
])

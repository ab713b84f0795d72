import { defineFaults } from '../fault.ts'

/** The consent Worker: who may declare, in what order acts count, and what readers are shown. */
export const CONSENT_FAULTS = defineFaults([
  {
    id: 'consent-signature',
    promise: 'Nobody declares for another.',
    find: "if (!isSigned) return { authorized: false, questionHash, reason: 'invalid_signature' }",
    replace: '',
    tests: ['test/consent-authority/consent-authority.test'],
  },
  {
    id: 'consent-held',
    promise: 'An identifier has one publisher.',
    find: "if (record.creatorDid !== write.creatorDid) return refused('consent_held')",
    replace: '',
    tests: ['src/consent/rules.test'],
  },
  {
    id: 'consent-replay-store',
    promise: 'A withdrawn declaration does not come back by replay.',
    find: 'actHash !== null && this.remembers(row.id, actHash)',
    replace: 'false',
    tests: ['test/consent/writing.test'],
  },
  {
    id: 'consent-rule-store',
    promise: 'A store writes only what the rules allow.',
    find: "if (decideWrite(known?.record ?? null, act).is !== 'proceed') return known?.record ?? null",
    replace: '',
    tests: ['test/consent/store-writes.test'],
  },
  {
    id: 'consent-move-changes',
    promise: 'A move of records loses no change.',
    find: 'this.moves.note(bucket, id)',
    replace: '',
    tests: ['test/move/kills.test'],
  },
  {
    id: 'consent-newest',
    promise: 'The history answers with what was in force at the time.',
    find: 'WHERE record = ? AND recorded_at <= ? ORDER BY version DESC LIMIT 1',
    replace: 'WHERE record = ? AND recorded_at <= ? ORDER BY version LIMIT 1',
    tests: ['test/consent/history.test'],
  },
  {
    id: 'consent-cache-kept',
    promise: 'A change of consent is read at once.',
    find: 'await cache.drop(hash)',
    replace: '',
    tests: ['test/consent/reading.test'],
  },
  {
    id: 'consent-revoked-read',
    promise: 'A revoked declaration is not returned.',
    find: "return record?.status === 'published' ? record : null",
    replace: 'return record',
    tests: ['test/consent/writing.test'],
  },
  {
    id: 'consent-budget-races',
    promise: 'Writes at the same moment stay within the budget.',
    find: 'records + claims + under.records',
    replace: 'records + claims',
    tests: ['test/consent/budget.test'],
  },
  {
    id: 'consent-claim-replay',
    promise: 'A withdrawn claim does not come back.',
    find: 'spent.includes(actHash) || spent.length',
    replace: 'spent.length',
    tests: ['test/consent/claims.test'],
  },
  {
    id: 'settle-keeps-declaration',
    promise: 'A settlement ends the declaration that was wrong.',
    find: "{ creatorDid, preferences, status: 'revoked', version,",
    replace: '{ creatorDid, preferences, status: record.status, version,',
    tests: ['test/consent/settlement.test'],
  },
  {
    id: 'settle-holder',
    promise: 'A settlement leaves what its holder declared.',
    find: 'if (known.record.creatorDid !== creatorDid && !this.',
    replace: 'if (!this.',
    tests: ['test/consent/settlement.test'],
  },
])

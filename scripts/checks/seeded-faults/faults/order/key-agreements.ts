import { defineFaults } from '../../fault.ts'

/** Key agreements in the log of the key directory. */
export const KEY_AGREEMENT_FAULTS = defineFaults([
  {
    id: 'key-agreement-unlogged',
    promise: 'Every key agreement that core accepts becomes an update in the log.',
    find: "updates.add({ kind: 'agreement', statement: signed.statement }, now)",
    replace: '',
    tests: ['rotation/updates'],
  },
  {
    id: 'key-agreement-not-woken-for',
    promise: 'A key agreement is delivered to the log although nobody calls the identity again.',
    find: 'const registered = this.#registration.register(services, statement) this.transaction.keepAlarm()',
    replace: 'const registered = this.#registration.register(services, statement)',
    tests: ['rotation/updates'],
  },
  {
    id: 'logged-agreement-goes-back',
    promise: 'The directory logs no key agreement behind a newer one.',
    find: 'if (agreedAt !== undefined && !isNewerAgreement(agreedAt, this.updates.agreement())) continue',
    replace: '',
    tests: ['transparency/updates'],
  },
  {
    id: 'logged-agreement-forgotten',
    promise: 'A directory that lost updates learns the newest key agreement from the map.',
    find: "if (agreement && isNewerAgreement(agreement.issuedAt, this.agreement())) this.#facts.put('agreement', agreement)",
    replace: '',
    tests: ['transparency/updates'],
  },
  {
    id: 'mapped-agreement-goes-back',
    promise: 'The map of accounts has the newest key agreement of each.',
    find: 'return issuedAt !== undefined && isNewerAgreement(issuedAt, newest) ?',
    replace: 'return issuedAt !== undefined ?',
    tests: ['keys/account-map'],
  },
  {
    id: 'mapped-agreement-uncommitted',
    promise: 'The leaf of an account commits to its newest key agreement.',
    find: 'bytes.set(fromHex(agreement.hash), AGREEMENT_AT)',
    replace: 'bytes.set(fromHex(head), AGREEMENT_AT)',
    tests: ['keys/account-map', 'test/vectors/package'],
  },
  {
    id: 'audited-agreement-goes-back',
    promise: 'An auditor of maps finds a key agreement that goes back, also behind one of an earlier visit.',
    find: 'return older === null',
    replace: 'return older === null || updates.length > 0',
    tests: ['keys/audited-map'],
  },
  {
    id: 'rebuilt-agreement-goes-back',
    promise: 'A rebuilt account takes no older key agreement for its newest.',
    find: "return isSame || continuedAfter ? null : 'key agreement'",
    replace: 'return null',
    tests: ['test/directory/planted.test'],
  },
])

import { defineFaults } from '../fault.ts'

/** The base of Durable Objects: transactions, migrations and the alarm. */
export const OBJECTS_FAULTS = defineFaults([
  {
    id: 'object-refusal-kept',
    about: 'A refused transaction keeps what it wrote',
    find: 'throw ROLL_BACK',
    replace: 'return refusal.result',
    tests: ['transactions'],
  },
  {
    id: 'object-step-again',
    about: 'Each start of an object runs every migration again',
    find: 'if (index < version || !standing) continue',
    replace: 'if (!standing) continue',
    tests: ['upgrades'],
  },
  {
    id: 'object-newer-version',
    about: 'An object of a newer schema version is served',
    find: 'if (version <= newest) return',
    replace: 'if (version > 0) return',
    tests: ['upgrades'],
  },
  {
    id: 'object-tables-read',
    about: 'Reading tables that have not been made makes them',
    find: '/^\\s*INSERT\\b/.test(query)',
    replace: '/\\w/.test(query)',
    tests: ['groups', 'identity/size'],
  },
  {
    id: 'object-tables-undone',
    about: 'Tables are taken for made after their transaction was undone',
    find: 'this.#standing = undefined for (const forget of',
    replace: 'for (const forget of',
    tests: ['groups'],
  },
  {
    id: 'object-fact-undeclared',
    about: 'An object keeps facts that its schema does not declare, and that no page lists',
    find: 'if (!this.#declared()?.includes(name))',
    replace: 'if (this.#declared() === null)',
    tests: ['groups'],
  },
  {
    id: 'object-alarm-late',
    about: 'An alarm that is set cannot be moved to an earlier time',
    find: 'known !== null && known <= at && known > Date.now() - LOST_AFTER_MS',
    replace: 'known !== null && known > Date.now() - LOST_AFTER_MS',
    tests: ['alarm'],
  },
  {
    id: 'object-alarm-put-off',
    about: 'New work puts off an alarm that is set',
    find: 'known !== null && known <= at && known > Date.now() - LOST_AFTER_MS',
    replace: 'known !== null && known === at && known > Date.now() - LOST_AFTER_MS',
    tests: ['alarm'],
  },
])

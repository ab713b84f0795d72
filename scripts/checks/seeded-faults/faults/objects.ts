import { defineFaults } from '../fault.ts'

/** The base of Durable Objects: transactions, migrations and the alarm. */
export const OBJECTS_FAULTS = defineFaults([
  {
    id: 'object-refusal-kept',
    about: 'A refused transaction keeps what it wrote',
    edits: [{ find: 'throw ROLL_BACK', replace: 'return refusal.result' }],
    projects: ['objects'],
    tests: ['transactions'],
  },
  {
    id: 'object-step-again',
    about: 'Each start of an object runs every migration again',
    edits: [{ find: 'if (index < version || !standing) continue', replace: 'if (!standing) continue' }],
    projects: ['objects'],
    tests: ['upgrades'],
  },
  {
    id: 'object-newer-version',
    about: 'An object of a newer schema version is served',
    edits: [{ find: 'if (version <= newest) return', replace: 'if (version > 0) return' }],
    projects: ['objects'],
    tests: ['upgrades'],
  },
  {
    id: 'object-tables-read',
    about: 'Reading tables that have not been made makes them',
    edits: [{ find: '/^\\s*INSERT\\b/.test(query)', replace: '/\\w/.test(query)' }],
    projects: ['objects', 'core'],
    tests: ['groups', 'identity/size'],
  },
  {
    id: 'object-tables-undone',
    about: 'Tables are taken for made after their transaction was undone',
    edits: [
      {
        find: 'this.#standing = undefined\n    for (const forget of',
        replace: 'for (const forget of',
      },
    ],
    projects: ['objects'],
    tests: ['groups'],
  },
  {
    id: 'object-fact-undeclared',
    about: 'An object keeps facts that its schema does not declare, and that no page lists',
    edits: [{ find: 'if (!this.#declared()?.includes(name))', replace: 'if (this.#declared() === null)' }],
    projects: ['objects'],
    tests: ['groups'],
  },
  {
    id: 'object-alarm-late',
    about: 'An alarm that is set cannot be moved to an earlier time',
    edits: [
      {
        find: 'known !== null && known <= at && known > Date.now() - LOST_AFTER_MS',
        replace: 'known !== null && known > Date.now() - LOST_AFTER_MS',
      },
    ],
    projects: ['objects'],
    tests: ['alarm'],
  },
  {
    id: 'object-alarm-put-off',
    about: 'New work puts off an alarm that is set',
    edits: [
      {
        find: 'known !== null && known <= at && known > Date.now() - LOST_AFTER_MS',
        replace: 'known !== null && known === at && known > Date.now() - LOST_AFTER_MS',
      },
    ],
    projects: ['objects'],
    tests: ['alarm'],
  },
])

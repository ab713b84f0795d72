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
    edits: [{ find: 'if (version <= (row?.version ?? 0)) continue', replace: '' }],
    projects: ['objects'],
    tests: ['upgrades'],
  },
  {
    id: 'object-newer-version',
    about: 'An object of a newer schema version is served',
    edits: [{ find: 'if (version <= newest) return known', replace: 'if (version > 0) return known' }],
    projects: ['objects'],
    tests: ['upgrades'],
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

import { defineFaults } from '../fault.ts'

/** The base of Durable Objects: transactions, migrations and the alarm. */
export const OBJECTS_FAULTS = defineFaults([
  {
    id: 'object-refusal-kept',
    promise: 'A refused act leaves nothing behind.',
    find: 'throw ROLL_BACK',
    replace: 'return refusal.result',
    tests: ['transactions'],
  },
  {
    id: 'object-step-again',
    promise: 'A release never changes stored data twice.',
    find: 'if (index < version || !standing) continue',
    replace: 'if (!standing) continue',
    tests: ['upgrades'],
  },
  {
    id: 'object-newer-version',
    promise: 'An older release never touches newer data.',
    find: 'if (version <= newest) return',
    replace: 'if (version > 0) return',
    tests: ['upgrades'],
  },
  {
    id: 'object-tables-undone',
    promise: 'A crash never leaves half of a table.',
    find: 'this.#standing = undefined for (const forget of',
    replace: 'for (const forget of',
    tests: ['groups'],
  },
  {
    id: 'object-fact-undeclared',
    promise: 'Nothing is kept that the pages do not list.',
    find: 'if (!this.#declared()?.includes(name))',
    replace: 'if (this.#declared() === null)',
    tests: ['groups'],
  },
  {
    id: 'object-alarm-late',
    promise: 'Nothing that is due waits for something later.',
    find: 'known !== null && known <= at && known > Date.now() - LOST_AFTER_MS',
    replace: 'known !== null && known > Date.now() - LOST_AFTER_MS',
    tests: ['alarm'],
  },
  {
    id: 'rebuild-missing-record',
    promise: 'A restore never replaces an object by half of it.',
    find: 'if (!record) throw missing(sequence)',
    replace: 'if (!record) continue',
    tests: ['objects/test/replacement', 'objects/test/records'],
  },
  {
    id: 'rebuild-behind',
    promise: 'A restore never goes back behind what was written.',
    find: 'if (sequence > last.sequence) throw missing(last.sequence + 1)',
    replace: '',
    tests: ['objects/test/replacement', 'objects/test/records'],
  },
  {
    id: 'rebuild-over-newer',
    promise: 'A restore replaces nothing that was written since, unless it is told to.',
    find: "if (!replaces && pending) return 'newer'",
    replace: '',
    tests: ['objects/test/replacement', 'objects/test/records', 'rebuild'],
  },
  {
    id: 'rebuild-half-record',
    promise: 'A restore takes no state whose rest was never written.',
    find: 'if (record?.isWhole) return record',
    replace: 'if (record) return record',
    tests: ['objects/test/records'],
  },
  {
    id: 'record-over-later',
    promise: 'An object that lost what it had writes over no record of what it was.',
    find: "if (before?.attempt !== record.attempt) throw new RecordConflict('The object has records of a later state')",
    replace: '',
    tests: ['objects/test/records'],
  },
])

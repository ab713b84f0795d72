import { defineFaults } from '../fault.ts'

/** What an identity keeps, and the most that its tier allows. */
export const BUDGET_FAULTS = defineFaults([
  {
    id: 'budget-bytes',
    promise: 'An identity keeps no more than its tier allows.',
    find: 'if (added.bytes > 0 && used.bytes + added.bytes > storedBytes) {',
    replace: 'if (false) {',
    tests: ['test/storage/'],
  },
  {
    id: 'budget-item-twice',
    promise: 'What you keep counts once.',
    find: 'if (this.#kept.has(kind, item)) return ok({ isNew: false })',
    replace: '',
    tests: ['test/storage/'],
  },
  {
    id: 'budget-refused-counted',
    promise: 'What is refused does not count.',
    find: "if (refusal !== null && kept.value.isNew) await budget.release(did, 'assets', item)",
    replace: '',
    tests: ['test/storage/'],
  },
  {
    id: 'lease-not-needed',
    promise: 'A vault uses no more room than it has leased.',
    find: "return covers(this.#row() ?? NO_ROOM, needed) ? null : { reason: 'lease_short', needed }",
    replace: "return this.#row() || covers(NO_ROOM, needed) ? null : { reason: 'lease_short', needed }",
    tests: ['test/storage/'],
  },
  {
    id: 'lease-late-demand',
    promise: 'Room that was asked for late never undoes what was asked for since.',
    find: 'if (seq <= last) return ok({ seq: last, granted: null })',
    replace: '',
    tests: ['test/storage/', 'test/objects/upgrades.test'],
  },
  {
    id: 'budget-keypoints',
    promise: 'Uploads at the same moment stay within the tier.',
    find: `AND \${USED} + max(?4, \${LEAST_BYTES}) <= ?7`,
    replace: `AND ?7 > 0 AND \${LEAST_BYTES} > 0 AND ?2 IS NOT NULL`,
    tests: ['test/budget/'],
  },
])

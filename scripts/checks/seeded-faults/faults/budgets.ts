import { defineFaults } from '../fault.ts'

/** What an identity keeps, and the most that its tier allows. */
export const BUDGET_FAULTS = defineFaults([
  {
    id: 'budget-bytes',
    about: 'An identity keeps more bytes than its tier allows',
    find: 'if (added.bytes > 0 && used.bytes + added.bytes > storedBytes) {',
    replace: 'if (false) {',
    tests: ['test/storage/'],
  },
  {
    id: 'budget-item-twice',
    about: 'A record that is written again counts again',
    find: 'if (this.#kept.has(kind, item)) return ok({ isNew: false })',
    replace: '',
    tests: ['test/storage/'],
  },
  {
    id: 'budget-refused-counted',
    about: 'A mint that is refused stays counted',
    find: "if (refusal !== null && kept.value.isNew) await budget.release(did, 'assets', item)",
    replace: '',
    tests: ['test/storage/'],
  },
  {
    id: 'lease-not-needed',
    about: 'A vault uses more than it leases',
    find: "return covers(this.#row() ?? NO_ROOM, needed) ? null : { reason: 'lease_short', needed }",
    replace: "return this.#row() || covers(NO_ROOM, needed) ? null : { reason: 'lease_short', needed }",
    tests: ['test/storage/'],
  },
  {
    id: 'lease-late-demand',
    about: 'A demand that a later one has overtaken still changes the lease',
    find: 'if (seq <= last) return ok({ seq: last, granted: null })',
    replace: '',
    tests: ['test/storage/', 'test/objects/upgrades.test'],
  },
  {
    id: 'budget-keypoints',
    about: 'Uploads at once keep more keypoints than the tier allows',
    find: `AND \${USED} + max(?4, \${LEAST_BYTES}) <= ?7`,
    replace: `AND ?7 > 0 AND \${LEAST_BYTES} > 0 AND ?2 IS NOT NULL`,
    tests: ['test/budget/'],
  },
  {
    id: 'budget-chunks',
    about: 'Registrations at once keep more chunks of texts than the tier allows',
    find: `subject_id = ?1) AND \${HAS_ROOM}`,
    replace: 'subject_id = ?1) AND ?6 + ?7 > 0',
    tests: ['test/budget/'],
  },
  {
    id: 'budget-capsules',
    about: 'Registrations at once keep more capsules than the tier allows',
    find: 'if (used >= limit) return err',
    replace: 'if (used > limit + 100) return err',
    tests: ['test/budget/'],
  },
  {
    id: 'budget-organization',
    about: 'A log of an organization takes more events than its tier allows',
    find: 'if (sequence <= limit) return null',
    replace: 'if (sequence > 0) return null',
    tests: ['test/organizations/members-standing.test'],
  },
])

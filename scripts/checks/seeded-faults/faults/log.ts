import { defineFaults } from '../fault.ts'

/** The sequencer that decides the order of a log. */
export const LOG_FAULTS = defineFaults([
  {
    id: 'log-head-replaced',
    promise: 'A log never has two histories.',
    find: "return (await bucket.put(key, value, { onlyIf: { etagDoesNotMatch: '*' } })) !== null",
    replace: 'return (await bucket.put(key, value)) !== null',
    tests: ['sequencer'],
  },
  {
    id: 'log-leaf-twice',
    promise: 'A leaf has one place in the log.',
    find: 'if (known !== null) return { leafId, index: known }',
    replace: '',
    tests: ['sequencer'],
  },
  {
    id: 'log-head-first',
    promise: 'A signed size never lacks its tiles.',
    find: 'await Promise.all([ ...tiles.map((tile) => files.putTile(tile, edge.size)),',
    replace: 'void Promise.allSettled([\n      ...tiles.map((tile) => files.putTile(tile, edge.size)),',
    tests: ['sequencer'],
  },
  {
    id: 'log-tidied-early',
    promise: 'Readers of the log find what they were promised.',
    find: 'store.retired(now - GRACE_MS, MAX_TIDIED)',
    replace: 'store.retired(now + GRACE_MS, MAX_TIDIED)',
    tests: ['upkeep'],
  },
  {
    id: 'log-order-of-owner',
    promise: 'The acts of an owner are logged in their order.',
    find: 'for (const { reject } of this.#waiting.values()) reject(error) this.#waiting.clear()',
    replace: '',
    tests: ['sequencer'],
  },
  {
    id: 'log-ends-twice',
    promise: 'A log ends in one other log.',
    find: "return ending?.next === next.log ? ok(ending) : err({ reason: 'log_closed' })",
    replace: "return ending ? ok(ending) : err({ reason: 'log_closed' })",
    tests: ['roll'],
  },
  {
    id: 'log-founded-beside',
    promise: 'There is one open log.',
    find: 'if (founding === null || (await files.isSeriesBegun()))',
    replace: 'if (founding === null)',
    tests: ['roll'],
  },
  {
    id: 'log-leaf-after-its-end',
    promise: 'Nothing is lost when a log ends.',
    find: 'if (placed.next !== null) updates.move(name, placed.next)',
    replace: '',
    tests: ['transparency/rolls'],
  },
  {
    id: 'log-rolled-unannounced',
    promise: 'A log never moves to one that clients cannot verify.',
    find: 'if (!found.head.ending && !(await this.#isAnnounced(next, now)))',
    replace: 'if (!found.head.ending && !next)',
    tests: ['transparency/rolls'],
  },
  {
    id: 'witness-goes-back-in-time',
    promise: 'A witness cosigns one history.',
    find: "if (oldSize !== known.size) return err({ reason: 'stale', size: known.size })",
    replace: '',
    tests: ['add-checkpoint'],
  },
  {
    id: 'witness-signs-first',
    promise: 'A witness signs one history.',
    find: 'if (!this.#store.follow(name, { before: stored, state: JSON.stringify(stateOf(followed.value)) }))',
    replace:
      'void this.#store.follow(name, { before: stored, state: JSON.stringify(stateOf(followed.value)) })\n      if (false)',
    tests: ['anchor-follower'],
  },
  {
    id: 'witness-forgives',
    promise: 'A witness that saw two histories cosigns none.',
    find: 'this.#isFalse = true',
    replace: '',
    tests: ['anchor-follower'],
  },
  {
    id: 'anchors-shrink-unseen',
    promise: 'Nothing leaves the log of anchors.',
    find: "if (size < before.statement.size) throw fault('shrunk', { log, position: size }, evidence) if (!(await this.#extends(before, newest)))",
    replace: 'if (size > before.statement.size && !(await this.#extends(before, newest)))',
    tests: ['lies/lies'],
  },
])

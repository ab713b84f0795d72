import { defineFaults } from '../fault.ts'

/** The sequencer that decides the order of a log. */
export const LOG_FAULTS = defineFaults([
  {
    id: 'log-head-replaced',
    about: 'A head that was decided is replaced, so a restored object signs a second history',
    edits: [
      {
        find: "return (await bucket.put(key, value, { onlyIf: { etagDoesNotMatch: '*' } })) !== null",
        replace: 'return (await bucket.put(key, value)) !== null',
      },
    ],
    projects: ['log'],
    tests: ['sequencer'],
  },
  {
    id: 'log-leaf-twice',
    about: 'A leaf that is submitted again gets a second place',
    edits: [{ find: 'if (known !== null) return { leafId, index: known }', replace: '' }],
    projects: ['log'],
    tests: ['sequencer'],
  },
  {
    id: 'log-head-first',
    about: 'SQLite has the head of the log before its tiles are stored',
    edits: [
      {
        find: 'await Promise.all([ ...tiles.map((tile) => files.putTile(tile, edge.size)),',
        replace: 'void Promise.allSettled([\n      ...tiles.map((tile) => files.putTile(tile, edge.size)),',
      },
    ],
    projects: ['log'],
    tests: ['sequencer'],
  },
  {
    id: 'log-tidied-early',
    about: 'Tiles are removed while readers may still request them',
    edits: [
      { find: 'store.retired(now - GRACE_MS, MAX_TIDIED)', replace: 'store.retired(now + GRACE_MS, MAX_TIDIED)' },
    ],
    projects: ['log'],
    tests: ['sequencer'],
  },
  {
    id: 'log-order-of-owner',
    about: 'Leaves that wait beside a failed batch are logged before it',
    edits: [
      { find: 'for (const { reject } of this.#waiting.values()) reject(error) this.#waiting.clear()', replace: '' },
    ],
    projects: ['log'],
    tests: ['sequencer'],
  },
  {
    id: 'log-stale-call',
    about: 'A call that took minutes is accepted, though the ids of its leaves are forgotten',
    edits: [
      {
        find: "if (Math.abs(this.#parts.now() - sentAt) > MAX_CALL_MS) return err({ reason: 'stale_call' })",
        replace: '',
      },
    ],
    projects: ['log'],
    tests: ['sequencer'],
  },
  {
    id: 'log-heads-removed',
    about: 'Heads go while a restore can still lack them',
    edits: [{ find: 'const HEADS_MS = 40 * 86_400_000', replace: 'const HEADS_MS = 20 * 86_400_000' }],
    projects: ['log'],
    tests: ['sequencer'],
  },
  {
    id: 'log-ends-twice',
    about: 'A log that was rolled is reported as rolled to another log too',
    edits: [
      {
        find: "return ending?.next === next.log ? ok(ending) : err({ reason: 'log_closed' })",
        replace: "return ending ? ok(ending) : err({ reason: 'log_closed' })",
      },
    ],
    projects: ['log'],
    tests: ['roll'],
  },
  {
    id: 'log-founded-beside',
    about: 'A log begins beside the open one, by configuration alone',
    edits: [
      {
        find: 'if (founding === null || (await files.isSeriesBegun()))',
        replace: 'if (founding === null)',
      },
    ],
    projects: ['log'],
    tests: ['roll'],
  },
  {
    id: 'log-leaf-after-its-end',
    about: 'A leaf of an owner who knows the closed log is never sent to the next one',
    edits: [{ find: 'if (placed.next !== null) updates.move(name, placed.next)', replace: '' }],
    projects: ['keys'],
    tests: ['transparency/rolls'],
  },
  {
    id: 'log-rolled-unannounced',
    about: 'A log is rolled to one that no list announces, so no client can verify it',
    edits: [
      {
        find: 'if (!found.head.ending && !(await this.#isAnnounced(next, now)))',
        replace: 'if (!found.head.ending && !next)',
      },
    ],
    projects: ['keys'],
    tests: ['transparency/rolls'],
  },
  {
    id: 'witness-goes-back-in-time',
    about: 'A witness cosigns a checkpoint that does not follow the newest one it has cosigned',
    edits: [{ find: "if (oldSize !== known.size) return err({ reason: 'stale', size: known.size })", replace: '' }],
    projects: ['tlog'],
    tests: ['add-checkpoint'],
  },
])

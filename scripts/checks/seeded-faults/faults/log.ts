import { defineFaults } from '../fault.ts'

/** The sequencer that decides the order of a log. */
export const LOG_FAULTS = defineFaults([
  {
    id: 'log-head-replaced',
    about: 'A head that was decided is replaced, so a restored object signs a second history',
    find: "return (await bucket.put(key, value, { onlyIf: { etagDoesNotMatch: '*' } })) !== null",
    replace: 'return (await bucket.put(key, value)) !== null',
    tests: ['sequencer'],
  },
  {
    id: 'log-leaf-twice',
    about: 'A leaf that is submitted again gets a second place',
    find: 'if (known !== null) return { leafId, index: known }',
    replace: '',
    tests: ['sequencer'],
  },
  {
    id: 'log-head-first',
    about: 'SQLite has the head of the log before its tiles are stored',
    find: 'await Promise.all([ ...tiles.map((tile) => files.putTile(tile, edge.size)),',
    replace: 'void Promise.allSettled([\n      ...tiles.map((tile) => files.putTile(tile, edge.size)),',
    tests: ['sequencer'],
  },
  {
    id: 'log-tidied-early',
    about: 'Tiles are removed while readers may still request them',
    find: 'store.retired(now - GRACE_MS, MAX_TIDIED)',
    replace: 'store.retired(now + GRACE_MS, MAX_TIDIED)',
    tests: ['sequencer'],
  },
  {
    id: 'log-order-of-owner',
    about: 'Leaves that wait beside a failed batch are logged before it',
    find: 'for (const { reject } of this.#waiting.values()) reject(error) this.#waiting.clear()',
    replace: '',
    tests: ['sequencer'],
  },
  {
    id: 'log-stale-call',
    about: 'A call that took minutes is accepted, though the ids of its leaves are forgotten',
    find: "if (Math.abs(this.#parts.now() - sentAt) > MAX_CALL_MS) return err({ reason: 'stale_call' })",
    replace: '',
    tests: ['sequencer'],
  },
  {
    id: 'log-heads-removed',
    about: 'Heads go while a restore can still lack them',
    find: 'const HEADS_MS = 40 * 86_400_000',
    replace: 'const HEADS_MS = 20 * 86_400_000',
    tests: ['sequencer'],
  },
  {
    id: 'log-ends-twice',
    about: 'A log that was rolled is reported as rolled to another log too',
    find: "return ending?.next === next.log ? ok(ending) : err({ reason: 'log_closed' })",
    replace: "return ending ? ok(ending) : err({ reason: 'log_closed' })",
    tests: ['roll'],
  },
  {
    id: 'log-founded-beside',
    about: 'A log begins beside the open one, by configuration alone',
    find: 'if (founding === null || (await files.isSeriesBegun()))',
    replace: 'if (founding === null)',
    tests: ['roll'],
  },
  {
    id: 'log-leaf-after-its-end',
    about: 'A leaf of an owner who knows the closed log is never sent to the next one',
    find: 'if (placed.next !== null) updates.move(name, placed.next)',
    replace: '',
    tests: ['transparency/rolls'],
  },
  {
    id: 'log-rolled-unannounced',
    about: 'A log is rolled to one that no list announces, so no client can verify it',
    find: 'if (!found.head.ending && !(await this.#isAnnounced(next, now)))',
    replace: 'if (!found.head.ending && !next)',
    tests: ['transparency/rolls'],
  },
  {
    id: 'witness-goes-back-in-time',
    about: 'A witness cosigns a checkpoint that does not follow the newest one it has cosigned',
    find: "if (oldSize !== known.size) return err({ reason: 'stale', size: known.size })",
    replace: '',
    tests: ['add-checkpoint'],
  },
])

/**
 * A bucket moves while it is written and read, and everything is killed in the middle: after each step, and within it.
 *
 * @module
 */
import { env } from 'cloudflare:workers'
import { expect, it, onTestFinished } from 'vitest'
import type { MoveProgress } from '../../src/move/mover.ts'
import type { BriefRecord } from '../../src/store/rows.ts'
import { rowsIn } from '../stores.fixture.ts'
import {
  actOn,
  begin,
  breakMove,
  CALLS,
  directory,
  freshStores,
  hashesOf,
  kill,
  newDid,
  settled,
  stateAt,
  step,
  storeNamed,
} from './move.fixture.ts'

const HASHES = 4
const FROM = 'consent/s00'

/** Writes one act after another, and reads all the time. Every answer is held to what was acknowledged before. */
class Load {
  readonly did = newDid()
  readonly hashes: readonly string[]
  readonly #stores = freshStores()
  /** The acts that were acknowledged, in order. */
  readonly acknowledged = new Map<string, string[]>()
  /** How many were sent. */
  readonly #sent = new Map<string, number>()
  #isOver = false
  #running: Promise<unknown> = Promise.resolve()
  reads = 0
  faults = 0

  constructor(bucket: number) {
    this.hashes = hashesOf(bucket, HASHES)
    for (const hash of this.hashes) this.acknowledged.set(hash, [])
  }

  async start(): Promise<void> {
    for (const hash of this.hashes) await this.#write(hash)
    this.#running = Promise.all([...this.hashes.map((hash) => this.#writing(hash)), this.#reading(), this.#listing()])
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await this.#running
  }

  async #writing(hash: string): Promise<void> {
    while (!this.#isOver) await this.#write(hash)
  }

  /** Sends an act until it is acknowledged: it counts once, whatever became of the attempts before. */
  async #write(hash: string): Promise<void> {
    const done = this.acknowledged.get(hash) ?? []
    const act = actOn(hash, this.did, done.length === 0 ? 'create' : 'update')
    this.#sent.set(hash, done.length + 1)
    for (;;) {
      const record = await settled(this.#stores.write(act, Date.now()))
      if (record === null) {
        this.faults += 1
        await scheduler.wait(20)
        continue
      }
      expect(record).toMatchObject({ lastAct: act.actHash, version: done.length + 1 })
      done.push(act.actHash)
      return
    }
  }

  async #reading(): Promise<void> {
    while (!this.#isOver) {
      for (const hash of this.hashes) {
        const before = this.acknowledged.get(hash)?.length ?? 0
        const record = await this.#read(() => this.#stores.find(hash))
        if (record !== undefined) this.#holds(hash, record, before)
      }
    }
  }

  /** Pages of a batch, of the creator and of a snapshot: each record once. */
  async #listing(): Promise<void> {
    while (!this.#isOver) {
      const before = new Map(this.hashes.map((hash) => [hash, this.acknowledged.get(hash)?.length ?? 0]))
      const found = await this.#read(() => this.#stores.findMany(this.hashes))
      if (found === undefined) continue
      expect(found.map(({ hash }) => hash).toSorted()).toEqual([...this.hashes].toSorted())
      for (const record of found) this.#holds(record.hash, record, before.get(record.hash) ?? 0)
      const list = await this.#read(() => env.CONSENT_CREATORS.getByName(this.did).list(this.did, null, 100))
      if (list !== undefined) expect(list.records.map(({ hash }) => hash)).toEqual([...this.hashes].toSorted())
    }
  }

  /** Undefined while it cannot be read. */
  async #read<T>(read: () => Promise<T>): Promise<T | undefined> {
    this.reads += 1
    try {
      return await read()
    } catch {
      this.faults += 1
      await scheduler.wait(20)
      return undefined
    }
  }

  #holds(hash: string, record: Pick<BriefRecord, 'version'> | null, before: number): void {
    expect(record?.version).toBeGreaterThanOrEqual(before)
    expect(record?.version).toBeLessThanOrEqual(this.#sent.get(hash) ?? 0)
  }
}

/** Never are both stores open: a bucket has one writer. */
async function expectOneWriter(bucket: number, to: string): Promise<void> {
  const states = [await stateAt(FROM, bucket), await stateAt(to, bucket)]
  expect(states.filter((state) => state === 'open').length).toBeLessThanOrEqual(1)
}

async function finish(bucket: number, to: string): Promise<void> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const progress = await settled<MoveProgress>((async () => storeNamed(FROM).move(bucket, to))())
    if (progress?.state === 'moved') return
    await scheduler.wait(20)
  }
  throw new Error('the move does not end')
}

/** What every act of a record is afterwards, at the store that has it. */
async function actsAt(store: string, hash: string): Promise<string[]> {
  const rows = await rowsIn(
    storeNamed(store),
    `SELECT lower(hex(a.act_hash)) AS act FROM acts a JOIN records r ON r.id = a.record
     WHERE r.content_hash = ? ORDER BY a.version`,
    hash,
  )
  return rows.map(({ act }) => act as string)
}

/** Between two steps, and within one: when the other side has not got a call, or has and its answer is lost. */
const CASES = [
  ...Array.from({ length: 10 }, (_, steps) => ({ steps, call: null, lost: 'request' as const })),
  ...CALLS.flatMap((call) => (['request', 'answer'] as const).map((lost) => ({ steps: 0, call, lost }))),
].map((one, i) => ({ ...one, i }))

it.each(CASES)(
  'kill $i, after $steps steps or where the $lost of $call is lost: no answer is wrong, and no act is lost or repeated',
  async ({ i, steps, call, lost }) => {
    const [bucket, to] = [i, `consent/s${20 + i}`]
    const load = new Load(bucket)
    await load.start()
    onTestFinished(() => load.stop())
    await begin(bucket, to)
    for (let taken = 0; taken < steps; taken++) {
      await settled(step(FROM, bucket))
      await expectOneWriter(bucket, to)
    }
    if (call !== null) {
      await breakMove(bucket, call, lost)
      expect(await settled<unknown>((async () => storeNamed(FROM).move(bucket, to))())).toBeNull()
      await expectOneWriter(bucket, to)
    }
    await kill(storeNamed(FROM), storeNamed(to), directory())
    await expectOneWriter(bucket, to)
    await finish(bucket, to)
    await expectOneWriter(bucket, to)
    await load.stop()
    expect(load.reads).toBeGreaterThan(0)
    expect(await directory().find(bucket)).toEqual({ bucket, store: to, version: 1 })
    expect([await stateAt(FROM, bucket), await stateAt(to, bucket)]).toEqual(['given', 'open'])
    for (const hash of load.hashes) {
      expect(await actsAt(to, hash)).toEqual(load.acknowledged.get(hash))
      expect(await actsAt(FROM, hash)).toEqual([])
    }
  },
)

import { env } from 'cloudflare:workers'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { hashHex } from '@svc/protocol/base/hash'
import type { TestCaller } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { failingAfter, failingBefore } from '../database.fixture.ts'
import { call, freshCaller, sendWith } from '../harness.ts'
import { sweepAt } from '../ipfs/ipfs.fixture.ts'

const HOUR_MS = 3_600_000
const LARGE = new Uint8Array(70_000).fill(7)

afterEach(() => vi.useRealTimers())

type Identity = ReturnType<Env['IDENTITIES']['getByName']>
type Append = Identity['append']

/** The objects of identities, with something around the call that appends. */
function identities(around: (append: () => ReturnType<Append>) => Promise<unknown>) {
  const getByName = (name: string) => {
    const identity = env.IDENTITIES.getByName(name)
    return new Proxy(identity, {
      get(_, method) {
        if (method === 'append') return (...given: Parameters<Append>) => around(() => identity.append(...given))
        return (...given: unknown[]) =>
          (identity as unknown as Record<PropertyKey, (...all: unknown[]) => unknown>)[method]?.(...given)
      },
    })
  }
  return { IDENTITIES: { getByName } }
}

const bucketWith = (put: (store: () => Promise<unknown>) => Promise<unknown>) => ({
  BLOBS: {
    put: (...given: Parameters<R2Bucket['put']>) => put(() => env.BLOBS.put(...given)),
    get: (key: string) => env.BLOBS.get(key),
    delete: (keys: string[]) => env.BLOBS.delete(keys),
  },
})

const crash = (): never => {
  throw new Error('the Worker dies here')
}

const objectsOf = async ({ identity }: TestCaller) =>
  (await env.BLOBS.list({ prefix: `chain/${identity.did}/` })).objects.map(({ key }) => key)
const notesOf = async ({ identity }: TestCaller) =>
  (
    await env.DB.prepare('SELECT key FROM loose_objects WHERE key LIKE ?')
      .bind(`chain/${identity.did}/%`)
      .all<{ key: string }>()
  ).results.map(({ key }) => key)

async function largeBlock({ client }: TestCaller, payload = LARGE) {
  const block = await client.chain.makeBlock(await client.chain.head(), { payload })
  return { ...block, payloadB64u: encodeBase64url(payload) }
}

const append = (caller: TestCaller, body: unknown, replaced: Parameters<typeof sendWith>[0] = {}) =>
  call(caller, 'POST', '/api/chain/append', body, sendWith(replaced))

const STEPS: readonly (readonly [string, Parameters<typeof sendWith>[0], { objects: number; blocks: number }])[] = [
  ['before its object is noted', failingBefore('INSERT INTO loose_objects'), { objects: 0, blocks: 0 }],
  ['after its object is noted', failingAfter('INSERT INTO loose_objects'), { objects: 0, blocks: 0 }],
  ['before its object is stored', bucketWith(async () => crash()), { objects: 0, blocks: 0 }],
  ['after its object is stored', bucketWith(async (store) => store().then(crash)), { objects: 1, blocks: 0 }],
  ['before its block is recorded', identities(async () => crash()), { objects: 1, blocks: 0 }],
  ['after its block is recorded', identities(async (record) => record().then(crash)), { objects: 1, blocks: 1 }],
  ['before the note is removed', failingBefore('DELETE FROM loose_objects'), { objects: 1, blocks: 1 }],
  ['after the note is removed', failingAfter('DELETE FROM loose_objects'), { objects: 1, blocks: 1 }],
]

describe('a large payload', () => {
  it('is noted before it is stored, and not any more once its block is recorded', async () => {
    const caller = await freshCaller()
    const seen: string[][] = []
    const watched = bucketWith(async (store) => {
      seen.push(await notesOf(caller))
      return store()
    })
    expect((await append(caller, await largeBlock(caller), watched)).status).toBe(201)
    expect(seen).toEqual([await objectsOf(caller)])
    expect(await notesOf(caller)).toEqual([])
  })

  it('goes at once if its block loses the race for the head', async () => {
    const caller = await freshCaller()
    const bodies = await Promise.all([1, 2, 3].map((fill) => largeBlock(caller, new Uint8Array(70_000).fill(fill))))
    let waiting = 0
    const { promise, resolve } = Promise.withResolvers<void>()
    const together = identities(async (record) => {
      waiting += 1
      if (waiting === bodies.length) resolve()
      await promise
      return record()
    })
    const answers = await Promise.all(bodies.map((body) => append(caller, body, together)))
    expect(answers.map(({ status }) => status)).toEqual(expect.arrayContaining([201, 409, 409]))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(await objectsOf(caller)).toHaveLength(1)
    expect(await notesOf(caller)).toEqual([])
    const won = bodies[answers.findIndex(({ status }) => status === 201)]
    expect(hashHex((await caller.client.chain.payload('1')).bytes)).toBe(won?.dataHash)
  })

  it('is swept if the one that lost could not be deleted', async () => {
    const caller = await freshCaller()
    const body = await largeBlock(caller)
    const overtaken = {
      ...identities(async (record) => {
        await caller.client.chain.append({})
        return record()
      }),
      BLOBS: { ...bucketWith(async (store) => store()).BLOBS, delete: crash },
    }
    expect((await append(caller, body, overtaken)).status).toBe(409)
    expect(await objectsOf(caller)).toHaveLength(1)
    await sweepAt(Date.now() + 2 * HOUR_MS)
    expect(await objectsOf(caller)).toEqual([])
    expect(await notesOf(caller)).toEqual([])
  })

  it.each(STEPS)('whose append stops %s is kept if a block refers to it, and else swept', async (_, fault, left) => {
    const caller = await freshCaller()
    const body = await largeBlock(caller)
    const { status } = await append(caller, body, fault)
    expect([201, 503]).toContain(status)
    expect(await objectsOf(caller)).toHaveLength(left.objects)
    await sweepAt(Date.now())
    expect(await objectsOf(caller)).toHaveLength(left.objects)
    await sweepAt(Date.now() + 2 * HOUR_MS)
    expect(await objectsOf(caller)).toHaveLength(left.blocks)
    expect(await notesOf(caller)).toEqual([])
    expect((await append(caller, body)).status).toBe(left.blocks === 1 ? 409 : 201)
    expect(hashHex((await caller.client.chain.payload('1')).bytes)).toBe(body.dataHash)
    await sweepAt(Date.now() + 4 * HOUR_MS)
    expect(hashHex((await caller.client.chain.payload('1')).bytes)).toBe(body.dataHash)
  })

  it('that another block has too stays when one upload of it is swept', async () => {
    const caller = await freshCaller()
    const body = await largeBlock(caller)
    expect(
      (
        await append(
          caller,
          body,
          identities(async () => crash()),
        )
      ).status,
    ).toBe(503)
    expect((await append(caller, body)).status).toBe(201)
    await sweepAt(Date.now() + 2 * HOUR_MS)
    expect(await objectsOf(caller)).toHaveLength(1)
    expect(hashHex((await caller.client.chain.payload('1')).bytes)).toBe(body.dataHash)
  })
})

describe('a backlog that is larger than one sweep', () => {
  it('shrinks with every run, also while some identities do not answer', async () => {
    await sweepAt(Date.now() + 24 * HOUR_MS)
    const keys = Array.from({ length: 450 }, (_, i) => `chain/did:svc:${i < 220 ? 'lost' : `other${i}`}/hash/${i}`)
    await Promise.all(keys.map((key) => env.BLOBS.put(key, 'x')))
    await env.DB.prepare('INSERT INTO loose_objects (key, since) SELECT value, rowid FROM json_each(?)')
      .bind(JSON.stringify(keys))
      .run()
    const getByName = (name: string) => (name.endsWith('lost') ? crash() : env.IDENTITIES.getByName(name))
    const left = async () => (await env.BLOBS.list({ prefix: 'chain/did:svc:' })).objects.length
    const before = (await left()) - keys.length
    const seen: number[] = []
    for (let run = 1; run <= 3; run += 1) {
      await sweepAt(Date.now() + 2 * HOUR_MS, { IDENTITIES: { getByName } })
      seen.push((await left()) - before)
    }
    expect(seen).toEqual([450, 270, 220])
    for (let run = 1; run <= 2; run += 1) await sweepAt(Date.now() + 4 * HOUR_MS)
    expect((await left()) - before).toBe(0)
  })
})

describe('the sweep, against an append that goes on', () => {
  it.each([
    ['before the sweep is due', HOUR_MS / 4, 201],
    ['when the sweep is due', 2 * HOUR_MS, 503],
  ])('%s: no block that was acknowledged loses its payload', async (_, later, status) => {
    const caller = await freshCaller()
    const body = await largeBlock(caller)
    const start = Date.now()
    const swept = identities(async (record) => {
      vi.useFakeTimers({ toFake: ['Date'], now: start + later })
      await sweepAt(start + later)
      return record()
    })
    expect((await append(caller, body, swept)).status).toBe(status)
    await sweepAt(start + 2 * later)
    vi.useRealTimers()
    expect(await objectsOf(caller)).toHaveLength(status === 201 ? 1 : 0)
    if (status !== 201) expect((await append(caller, body)).status).toBe(201)
    expect(hashHex((await caller.client.chain.payload('1')).bytes)).toBe(body.dataHash)
  })

  it('leaves an object whose identity does not answer, and goes on with the others', async () => {
    const [lost, other] = [await freshCaller(), await freshCaller()]
    for (const caller of [lost, other]) {
      await append(
        caller,
        await largeBlock(caller),
        identities(async () => crash()),
      )
    }
    const getByName = (name: string) => (name === lost.identity.did ? crash() : env.IDENTITIES.getByName(name))
    await sweepAt(Date.now() + 2 * HOUR_MS, { IDENTITIES: { getByName } })
    expect([(await objectsOf(lost)).length, (await objectsOf(other)).length]).toEqual([1, 0])
    await sweepAt(Date.now() + 4 * HOUR_MS)
    expect(await objectsOf(lost)).toEqual([])
  })
})

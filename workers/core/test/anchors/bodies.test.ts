import { evictDurableObject, runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { BodyBundles } from '../../src/anchors/body-bundles.ts'
import { Bundler } from '../../src/anchors/bundler.ts'
import { anonymous, CORE, sendWith } from '../harness.ts'
import { anchored, fill, LOG, log, sizeOf } from './anchors.fixture.ts'

const OF_LOG = `log=${encodeURIComponent(LOG)}`
const keys = async () =>
  (await env.BLOBS.list({ prefix: `anchor-bodies/${LOG}/` })).objects.map(({ key }) =>
    key.slice(`anchor-bodies/${LOG}/`.length),
  )
const etags = async () => (await env.BLOBS.list({ prefix: `anchor-bodies/${LOG}/` })).objects.map(({ etag }) => etag)
const bundlesOf = (bucket = env.BLOBS) => new BodyBundles(bucket)

/** The bucket, which counts what it is asked and fails a call of its choice. */
function counting(failing: (method: string, call: number) => boolean = () => false) {
  const calls: string[] = []
  const bucket = new Proxy(env.BLOBS, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => {
        calls.push(String(name))
        if (failing(String(name), calls.length)) throw new Error('canary: the bucket is down')
        return Reflect.apply(member, target, args) as unknown
      }
    },
  })
  return { bucket, calls }
}

async function read(path: string, bucket: R2Bucket = env.BLOBS) {
  const answer = await sendWith({ BLOBS: bucket })(new Request(`${CORE}/api/anchors${path}`))
  return { status: answer.status, text: await answer.text() }
}

/** Of the log in bulk, and of pages of the list. */
const PATHS = [
  ...[0, 64, 192, 256, 500].map((from) => `/feed/bodies/${from}?${OF_LOG}`),
  '?limit=100',
  '?limit=500',
  '?limit=2',
]
const answers = (bucket?: R2Bucket) => Promise.all(PATHS.map((path) => read(path, bucket)))

describe('bodies in bundles', () => {
  let before: { status: number; text: string }[] = []

  beforeAll(async () => {
    await anchored()
    await fill(600 - (await sizeOf()))
    before = await answers()
  })

  it('are as they would be after a run without a fault, whatever fails on the way', async () => {
    const faults = [
      (method: string) => method === 'head',
      (method: string, call: number) => method === 'get' && call > 100,
      (method: string) => method === 'put',
      (_: string, call: number) => call > 300,
    ]
    for (const fault of faults) {
      await expect(new Bundler(bundlesOf(counting(fault).bucket), LOG).run(600)).rejects.toThrow('anchors')
      expect(await answers()).toEqual(before)
    }
    expect(await keys()).toEqual([])
    const bundler = new Bundler(bundlesOf(), LOG)
    expect(await bundler.run(600)).toBe(false)
    const [first] = await etags()
    for (const fault of faults)
      await expect(new Bundler(bundlesOf(counting(fault).bucket), LOG).run(600)).rejects.toThrow('anchors')
    expect(await keys()).toEqual(['0'])
    expect(await bundler.run(600)).toBe(true)
    const complete = await etags()
    expect([complete.length, complete[0]]).toEqual([2, first])
    // A bundle that is lost is made again with the same bytes.
    await env.BLOBS.delete([`anchor-bodies/${LOG}/0`, `anchor-bodies/${LOG}/1`])
    const again = new Bundler(bundlesOf(), LOG)
    expect([await again.run(600), await again.run(600)]).toEqual([false, true])
    expect(await etags()).toEqual(complete)
    await env.BLOBS.delete([`anchor-bodies/${LOG}/0`, `anchor-bodies/${LOG}/1`])
  })

  it('are made by the alarm of the log, for full bundles of entries, once', async () => {
    await runDurableObjectAlarm(log())
    expect(await keys()).toEqual(['0'])
    await runDurableObjectAlarm(log())
    expect(await keys()).toEqual(['0', '1'])
    const made = await etags()
    await evictDurableObject(log())
    await fill(1)
    await runDurableObjectAlarm(log())
    expect(await etags()).toEqual(made)
  })

  it('are what the files have, and take few reads', async () => {
    before = await answers()
    const { bucket, calls } = counting()
    expect(await read(PATHS[1] ?? '', bucket)).toEqual(before[1])
    // The entries, and twice two for each quarter of the page.
    expect(calls.length).toBeLessThan(12)
    const page = counting()
    expect(await read('?limit=500', page.bucket)).toEqual(before[PATHS.indexOf('?limit=500')])
    // Two for each of two bundles, one for the bundle that is not there, and one for each anchor that would be in it.
    expect(page.calls).toHaveLength(4 + 1 + 89)
  })

  it('answer for anchors whose own files cannot be read', async () => {
    const unreadable = new Proxy(env.BLOBS, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name)
        if (name !== 'get') return typeof member === 'function' ? member.bind(target) : member
        return (key: string, options?: R2GetOptions) => {
          if (key.startsWith('anchors/')) throw new Error('canary: a single file')
          return target.get(key, options)
        }
      },
    })
    for (const [i, path] of PATHS.slice(0, 3).entries()) expect(await read(path, unreadable)).toEqual(before[i])
    // The end of the log is in no bundle.
    expect((await read(`/feed/bodies/520?${OF_LOG}`, unreadable)).status).toBe(503)
    expect((await anonymous('GET', `/api/anchors/feed/bodies/520?${OF_LOG}`)).status).toBe(200)
  })
})

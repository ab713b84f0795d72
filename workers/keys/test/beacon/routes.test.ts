import { evictDurableObject, runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { type BeaconDescription, headsEntrySchema } from '@svc/protocol/merkle/beacon'
import { REALM } from '@svc/testing'
import { parseCheckpoint } from '@svc/tlog/checkpoint'
import { parseVerifierKey, verifierOf } from '@svc/tlog/note-keys'
import { parseNote, verifyNote } from '@svc/tlog/signed-note'
import { bundleEntries } from '@svc/tlog/tiles'
import { SHA256_TREE } from '@svc/tlog/tree'
import { describe, expect, it } from 'vitest'
import { BASE, call, dataOf, send } from '../harness.ts'
import { LOG, log, opened } from '../transparency/log.fixture.ts'

const PREFIX = '/api/transparency/beacon'
const get = (path: string) => send(new Request(`${BASE}${PREFIX}${path}`))
const ORIGIN = `${REALM.replace('https://', '')}/beacon/2027a`
const object = () => env.BEACON.getByName(ORIGIN)

describe('the routes of the beacon', () => {
  it('serve a checkpoint that the described keys have signed, over the heads of both logs', async () => {
    await opened()
    const description = dataOf<BeaconDescription>(await call(null, 'GET', PREFIX))
    expect(description).toMatchObject({ origin: ORIGIN, everySeconds: 60, witnesses: [] })
    const verifiers = description.verifierKeys.map((key) => verifierOf(parseVerifierKey(key)!))
    const answer = await get('/checkpoint')
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
      200,
      'text/plain; charset=utf-8',
      'public, max-age=5, must-revalidate',
    ])
    const note = parseNote(await answer.text())!
    expect(await verifyNote(note, verifiers)).toMatchObject({ ok: true, value: { length: 2 } })
    const { origin, size, root } = parseCheckpoint(note.text)!
    expect([origin, size]).toEqual([ORIGIN, 1])

    const bundle = await get('/tile/entries/000.p/1')
    expect([bundle.headers.get('content-type'), bundle.headers.get('cache-control')]).toEqual([
      'application/octet-stream',
      'public, max-age=31536000, immutable',
    ])
    const [entry] = bundleEntries(new Uint8Array(await bundle.arrayBuffer())) ?? []
    expect(SHA256_TREE.leafHash(entry!)).toEqual(root)
    expect(new Uint8Array(await (await get('/tile/0/000.p/1')).arrayBuffer())).toEqual(root)
    const { heads } = headsEntrySchema.parse(JSON.parse(new TextDecoder().decode(entry)))
    const directory = await log().head(LOG)
    expect(heads).toEqual([
      { log: `${REALM}/anchors/2027a`, size: expect.any(Number), root: expect.any(String) },
      { log: LOG, size: directory.size, root: directory.root },
    ])
  })

  it.each(['/tile/0/000', '/tile/0/001', '/tile/0/000.p/2', '/tile/0/x001/000', '/tile/0/x001/000.p/1', '/tile/9/0'])(
    'find nothing at %s',
    async (path) => {
      await get('/checkpoint')
      const answer = await get(path)
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([404, 'no-store'])
    },
  )

  it('serve what is published while the alarm goes on', async () => {
    const before = await (await get('/checkpoint')).text()
    expect(await runDurableObjectAlarm(object())).toBe(true)
    // Less than a minute later.
    expect(await (await get('/checkpoint')).text()).toBe(before)
    await evictDurableObject(object())
    expect(await (await get('/checkpoint')).text()).toBe(before)
  })

  it('have no beacon without a key', async () => {
    const replaced = { DIRECTORY_LOG_SEED: '' }
    expect((await call(null, 'GET', PREFIX, { replaced })).status).toBe(503)
  })
})

import { env } from 'cloudflare:workers'
import { toHex } from '@svc/protocol/base/hash'
import { entriesAnswerSchema } from '@svc/protocol/keys/transparency'
import { entryHash } from '@svc/protocol/merkle/entries'
import { merkleRoot } from '@svc/protocol/merkle/tree'
import { ServedTiles, tileUrl } from '@svc/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { anonymous, CORE, send, sendWith } from '../harness.ts'
import { anchored, fill, indexOf, LOG, reader, sizeOf } from './anchors.fixture.ts'

const HASH_BYTES = 48
const LISTED = { log: LOG, tiles: `${CORE}/api/anchors/feed` }
const IMMUTABLE = 'public, max-age=31536000, immutable'
const BRIEF = 'public, max-age=300'

async function tile(level: number, index: number, width?: number) {
  const answer = await send(new Request(tileUrl(LISTED, { level, index }, width)))
  const { status, headers } = answer
  const bytes = new Uint8Array(await answer.arrayBuffer())
  return { status, bytes, type: headers.get('content-type'), cache: headers.get('cache-control') }
}

/** A binding that must not be used. */
const unreachable = new Proxy(
  {},
  {
    get: () => () => {
      throw new Error('canary: not to be asked')
    },
  },
)

describe('the tiles of a log', () => {
  let size = 0
  let leaves: Uint8Array[] = []

  beforeAll(async () => {
    await anchored()
    await fill(300 - (await sizeOf()))
    size = await sizeOf()
    for (const bundle of [0, 1]) {
      const { body } = await anonymous('GET', `/api/anchors/feed/entries/${bundle}?log=${encodeURIComponent(LOG)}`)
      leaves = [...leaves, ...entriesAnswerSchema.parse(body).entries.map(entryHash)]
    }
  })

  it('have the hashes of the leaves, and above them the roots of 256', async () => {
    expect([size, leaves.length]).toEqual([300, 300])
    const full = await tile(0, 0)
    expect(full).toMatchObject({ status: 200, type: 'application/octet-stream', cache: IMMUTABLE })
    expect(toHex(full.bytes)).toBe(leaves.slice(0, 256).map(toHex).join(''))
    const partial = await tile(0, 1, 44)
    expect(partial).toMatchObject({ status: 200, type: 'application/octet-stream', cache: BRIEF })
    expect(toHex(partial.bytes)).toBe(leaves.slice(256).map(toHex).join(''))
    const above = await tile(1, 0, 1)
    expect([toHex(above.bytes), above.bytes.length]).toEqual([toHex(merkleRoot(leaves.slice(0, 256))), HASH_BYTES])
  })

  it('lead to the signed root, and to the proof of the service', async () => {
    const { statement } = await reader().checkpoint()
    const record = await anchored()
    const served = new ServedTiles(LISTED, statement.size, send)
    expect(await served.root()).toBe(statement.root)
    const { checkpoint, proof } = await reader().bundle(record.anchorId)
    const after = new ServedTiles(LISTED, checkpoint.statement.size, send)
    expect(await after.root()).toBe(checkpoint.statement.root)
    expect(await after.inclusion(indexOf(record))).toEqual(proof)
  })

  it('are read from the files alone', async () => {
    const asked = sendWith({ ANCHOR_LOG: unreachable, DB: unreachable })
    const answer = await asked(new Request(tileUrl(LISTED, { level: 0, index: 0 })))
    expect([answer.status, (await answer.arrayBuffer()).byteLength]).toEqual([200, 256 * HASH_BYTES])
  })

  it('are a fault if the files are out of reach', async () => {
    const BLOBS = new Proxy(env.BLOBS, {
      get: (bucket, name) => (name === 'get' ? unreachable : Reflect.get(bucket, name)),
    })
    const answer = await sendWith({ BLOBS })(new Request(tileUrl(LISTED, { level: 0, index: 0 })))
    expect([answer.status, await answer.json()]).toMatchObject([503, { error: 'dependency_unavailable' }])
  })

  it.each([
    '0/2',
    '0/1',
    '1/0',
    '6/0',
    '0/0?width=255',
    '0/1?width=200',
    '0/0?log=unknown',
    '0/0?log=heads',
    `0/0?log=${encodeURIComponent(LOG.replace('2027a', '2026a'))}`,
    `0/0?log=${encodeURIComponent(`${LOG}/tile`)}`,
  ])('answer 404 for what the log does not have: %s', async (path) => {
    const [name, query = ''] = path.split('?')
    const log = query.startsWith('log=') ? query : `log=${encodeURIComponent(LOG)}&${query}`.replace(/&$/, '')
    const answer = await anonymous('GET', `/api/anchors/feed/tiles/${name}?${log}`)
    expect(answer).toMatchObject({ status: 404, body: { error: 'not_found' } })
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  it.each(['0/0', ...['0', '-1', '01', '256', '1e2', ''].map((width) => `0/0?log=x&width=${width}`)])(
    'are not read with a query that names none: %s',
    async (path) => {
      const answer = await anonymous('GET', `/api/anchors/feed/tiles/${path}`)
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
    },
  )

  it.each(['7/0', '00/0', '-1/0', '0/-1', '0/00', '0/1.5', '0/10000000000000', 'a/0', '0/0.p'])(
    'answer 404 for a name that no tile has: %s',
    async (name) => {
      const answer = await anonymous('GET', `/api/anchors/feed/tiles/${name}?log=${encodeURIComponent(LOG)}`)
      expect(answer).toMatchObject({ status: 404, body: { error: 'not_found' } })
    },
  )
})

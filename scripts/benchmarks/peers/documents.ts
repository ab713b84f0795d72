import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, Identity } from '@svc/client'
import { Person } from '@svc/platform/callers/person'
import type { LoadRequest } from '@svc/platform/callers/send'
import { reservePortBase } from '@svc/platform/ports'
import { withFloor } from '../figures/floor.ts'
import { freshFetch } from '../figures/fresh-fetch.ts'
import { sendAll } from '../figures/load.ts'
import { runtimeMs } from '../figures/processor-time.ts'
import { Peer } from './peer.ts'
import { compare, figure, rateOf } from './rounds.ts'
import { type Lines, line, type Scene } from './scene.ts'
import { taken, timed } from './taken.ts'

const ROUNDS = 5
const PER_ROUND = 200
const LISTED = 1_000
/** Of a round, one after the other: with ten, the first few, for which neither side is warm, were a third of a round. */
const LISTS = 40
const CONCURRENCY = 16
const TEXT = 'A note of some two hundred characters, as people write them. '.repeat(4)

/** Its bytes are made beforehand: nothing is read, and the client does not look at them. */
const LIST_FLOOR = { objectCalls: 1, stored: 100, verifications: 1 } as const
const LIST_FLOOR_WORDS =
  'the floor is the same bytes from a Worker that verifies one signature and remembers it in an object; nobody reads them'

/** PouchDB's server: documents are put, read and listed. */
export async function compareDocuments({ platform, programs }: Scene): Promise<Lines> {
  const folder = mkdtempSync(join(tmpdir(), 'peers-pouchdb-'))
  const port = await reservePortBase()
  const pouch = await Peer.start(programs, 'documents')
  try {
    await pouch.call('start', { port, folder })
    const client = await writer(platform.urls.core)
    const theirs = (requests: readonly LoadRequest[], status: number) =>
      taken(requests, status, () => pouch.processorMs, { concurrency: CONCURRENCY })
    const url = `http://127.0.0.1:${port}/notes`
    const put = new TextEncoder().encode(JSON.stringify({ title: 'Note', body: TEXT }))
    const documents: string[] = []
    const notes: string[] = []
    const written = await compare(ROUNDS, {
      theirs: () => {
        const ids = Array.from({ length: PER_ROUND }, () => crypto.randomUUID())
        documents.push(...ids)
        return theirs(
          ids.map((id) => ({ method: 'PUT', url: `${url}/${id}`, body: put })),
          201,
        )
      },
      ours: () =>
        timed(PER_ROUND, runtimeMs, () =>
          concurrently(PER_ROUND, async () => {
            notes.push((await client.notes.put({ title: 'Note', body: TEXT })).noteId)
          }),
        ),
    })
    const read = await compare(ROUNDS, {
      theirs: () =>
        theirs(
          documents.slice(0, PER_ROUND).map((id) => ({ method: 'GET', url: `${url}/${id}` })),
          200,
        ),
      ours: () =>
        timed(PER_ROUND, runtimeMs, () =>
          concurrently(PER_ROUND, async (i) => {
            await client.notes.get(notes[i] ?? '')
          }),
        ),
    })
    const list: LoadRequest = { method: 'GET', url: `${url}/_all_docs?include_docs=true&limit=${LISTED}` }
    const ours = () =>
      timed(LISTS, runtimeMs, async () => {
        for (let i = 0; i < LISTS; i++) {
          const page = await client.notes.list({ limit: LISTED })
          if (page.notes.length !== LISTED) throw new Error(`${page.notes.length} notes were listed`)
        }
      })
    const listed = await compare(ROUNDS, {
      theirs: () =>
        timed(
          LISTS,
          () => pouch.processorMs,
          () => inTurn(list),
        ),
      ours,
    })
    const page = Buffer.from(JSON.stringify(await client.notes.list({ limit: LISTED })))
    const asked = await (await Person.create(platform.urls.core)).read('/api/chain/head')
    const overFloor = await withFloor((floor) => {
      const request = floor.like(asked, { status: 200, body: page }, LIST_FLOOR, 0)
      return compare(ROUNDS, { theirs: () => timed(LISTS, runtimeMs, () => inTurn(request)), ours })
    })
    const unequal = 'ours signs, seals and opens, in the client’s time too'
    return {
      skipped: [],
      rows: [
        line('PouchDB server: put', written, unequal),
        line('PouchDB server: get', read, unequal),
        line(`PouchDB server: list ${LISTED}`, listed, unequal),
        line(`a list of ${LISTED} against its floor`, overFloor, LIST_FLOOR_WORDS),
      ],
      figures: [
        ...figure('note put / PouchDB put, rate', written.rate, { limit: 0.3, good: 'at least' }, ''),
        ...figure('note get / PouchDB get, rate', read.rate, { limit: 0.3, good: 'at least' }, ''),
        ...figure(
          'notes list / PouchDB list, rate',
          listed.rate,
          { limit: 4, good: 'at least' },
          `the floor of a list does ${rateOf(overFloor.theirs)}`,
        ),
      ],
    }
  } finally {
    pouch.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function writer(core: string): Promise<Client> {
  const client = new Client({ core, did: core, identity: await Identity.create(), fetch: freshFetch })
  await client.chain.genesis()
  return client
}

const inTurn = (request: LoadRequest) =>
  sendAll(
    Array.from({ length: LISTS }, () => request),
    1,
    200,
  )

/** Each of these in turn, some at a time. */
async function concurrently(count: number, work: (i: number) => Promise<void>): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
}

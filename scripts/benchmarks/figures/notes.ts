import { existsSync, readFileSync } from 'node:fs'
import { Client, Identity } from '@svc/client'
import type { Figure } from './figure.ts'
import { freshFetch } from './fresh-fetch.ts'
import { median } from './load.ts'
import { runtimePids } from './processor-time.ts'

const NOTES = 10_000
const WRITERS = 16
const PAGE = 1_000
const FILE_BYTES = 25 * 1024 * 1024 - 16 * 400
const PROBES = 200
const MEBIBYTE = 1024 * 1024

/** Listing a vault of 10,000 notes through the SDK, the dedup probe, and the memory for a large attachment. */
export async function measureNotes(core: string): Promise<Figure[]> {
  const client = await writer(core)
  const ids = Array.from({ length: NOTES }, (_, i) => i)
  const next = async () => {
    for (let id = ids.pop(); id !== undefined; id = ids.pop())
      await client.notes.put({ title: `Note ${id}`, body: 'text' })
  }
  await client.notes.put({ body: 'the first one creates the tables' })
  const writtenAt = performance.now()
  await Promise.all(Array.from({ length: WRITERS }, next))
  const writing = (performance.now() - writtenAt) / 1000
  const figures = [await listing(client, writing), await probing(client)]
  // Only Linux reports the memory of a process.
  return existsSync('/proc/self/status') ? [...figures, await holding(core)] : figures
}

async function listing(client: Client, writing: number): Promise<Figure> {
  const startedAt = performance.now()
  let listed = 0
  for (let cursor = '0', more = true; more; ) {
    const page = await client.notes.list({ cursor, limit: PAGE })
    listed += page.notes.length
    cursor = page.cursor
    more = page.more
  }
  const seconds = (performance.now() - startedAt) / 1000
  if (listed !== NOTES + 1) throw new Error(`${listed} notes were listed`)
  return {
    name: `notes listed per second / 2,000, of ${NOTES}`,
    ratio: listed / seconds / 2000,
    bar: { limit: 1, good: 'at least' },
    detail: `${Math.round(listed / seconds)} per second in pages of ${PAGE}; written ${Math.round(NOTES / writing)} per second`,
  }
}

/** Against a request that spends its assertion in the same way and reads one number from the vault. */
async function probing(client: Client): Promise<Figure> {
  const times = { probe: [] as number[], usage: [] as number[] }
  for (let i = 0; i < PROBES; i++) {
    const [startedAt, hash] = [performance.now(), i.toString(16).padStart(96, '0')]
    await client.notes.has(hash)
    const probedAt = performance.now()
    await client.notes.storage()
    times.probe.push(probedAt - startedAt)
    times.usage.push(performance.now() - probedAt)
  }
  const [probe, usage] = [median(times.probe), median(times.usage)]
  return {
    name: 'dedup probe among 10,000 notes / reading their usage, p50',
    ratio: probe / usage,
    bar: { limit: 1.2, good: 'at most' },
    detail: `${probe.toFixed(2)} ms / ${usage.toFixed(2)} ms`,
  }
}

/** The runtime and its store share a process here, so this is an upper bound of the Worker's memory. */
async function holding(core: string): Promise<Figure> {
  const client = await writer(core)
  const bytes = crypto.getRandomValues(new Uint8Array(65_536))
  const file = new Uint8Array(FILE_BYTES).map((_, i) => bytes[i % bytes.length] ?? 0)
  const note = await client.notes.put({ body: 'a film' })
  // Warm-up: compiled code and mapped pages stay.
  const warm = await client.notes.attach(note, { name: 'warm', type: 'video/mp4', bytes: file.subarray(0, MEBIBYTE) })
  const before = runtimeBytes()
  let peak = before
  const watch = setInterval(() => {
    peak = Math.max(peak, runtimeBytes())
  }, 10)
  const attached = await client.notes.attach(warm, { name: 'film', type: 'video/mp4', bytes: file })
  clearInterval(watch)
  const added = attached.attachments.find(({ name }) => name === 'film')
  if (!added || (await client.notes.attachment(note.noteId, added)).length !== FILE_BYTES) throw new Error('not stored')
  return {
    name: 'memory that a 25 MiB attachment takes / 64 MiB',
    ratio: (peak - before) / (64 * MEBIBYTE),
    bar: { limit: 1, good: 'at most' },
    detail: `${((peak - before) / MEBIBYTE).toFixed(1)} MiB more than the ${(before / MEBIBYTE).toFixed(0)} MiB before, its store included`,
  }
}

async function writer(core: string): Promise<Client> {
  const client = new Client({ core, did: core, identity: await Identity.create(), fetch: freshFetch })
  await client.chain.genesis()
  return client
}

/** The resident memory of the runtime's processes. */
function runtimeBytes(): number {
  return runtimePids()
    .map((pid) => /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0')
    .reduce((sum, kilobytes) => sum + Number(kilobytes) * 1024, 0)
}

import { Client, type Fetch, Identity } from '@svc/client'
import { licenceAct, sendOperatorAct } from '@svc/operations/operator-act'
import type { Platform } from '@svc/platform'
import type { Figure } from './figure.ts'
import { freshFetch } from './fresh-fetch.ts'
import { median } from './load.ts'

/** What each of three identities keeps of everything: once, ten times and a hundred times as much. */
const SIZES = [10, 100, 1_000] as const
const ROUNDS = 6
const PER_ROUND = 25
const WRITERS = 8
const LIMIT = 1.3
/** Of a list: as many in each, however many there are. */
const PAGE = 10

interface Grown {
  readonly client: Client
  readonly did: string
  /** Time that requests have taken, ms. */
  readonly spent: () => number
  readonly hashes: readonly string[]
  readonly noteId: string
  readonly assetId: string
}

type Operation = (grown: Grown, at: number) => Promise<unknown>

/** Reads are of what an identity wrote first, and lists of its newest page. */
const OPERATIONS: Readonly<Record<string, Operation>> = {
  'append a block': ({ client }) => client.chain.append({}),
  'read the head': ({ client }) => client.chain.head(),
  'read a payload': ({ client }) => client.chain.payload('1'),
  'write a note': ({ client }) => client.notes.put({ body: 'one more' }),
  'read a note': ({ client, noteId }) => client.notes.get(noteId),
  'list notes': ({ client }) => client.notes.list({ limit: PAGE }),
  'count a use': ({ client }) => client.quota.consume('search'),
  'read the meters': ({ client }) => client.quota.meters(),
  'declare consent': ({ client }) => client.consent.publish(freshIdentifier(), { ai_training: 'disallow' }),
  'read a declaration': ({ client, hashes }) => client.consent.read(hashes[0] ?? ''),
  'mint an asset': ({ client }) => client.assets.mint(freshAsset()),
  'read an asset': ({ client, assetId }) => client.assets.read(assetId),
  'resolve a DID': ({ client, did }) => client.did.resolve(did),
}

/** Each operation of an identity that has much, against the same of one that has little, in turn. */
export async function measureGrowth(_core: string, _did: string, _pay: string, platform: Platform): Promise<Figure[]> {
  const grown: Grown[] = []
  for (const size of SIZES) grown.push(await identityWith(size, platform))
  const [small, ...larger] = grown
  if (!small) throw new Error('there are no sizes')
  const figures: Figure[] = []
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    const rounds: number[][] = grown.map(() => [])
    for (let round = 0; round <= ROUNDS; round++)
      for (const [i, one] of grown.entries()) {
        const time = await timeOf(one, operation)
        if (round > 0) rounds[i]?.push(time)
      }
    figures.push(...larger.map((_, i) => figureOf(name, i + 1, rounds)))
  }
  return figures
}

function figureOf(name: string, at: number, rounds: readonly (readonly number[])[]): Figure {
  const [small = [], large = []] = [rounds[0], rounds[at]]
  const ratios = large.map((time, round) => time / (small[round] ?? Number.NaN))
  return {
    name: `${name}: ${SIZES[at]} / ${SIZES[0]}`,
    ratio: median(ratios),
    range: [Math.min(...ratios), Math.max(...ratios)],
    bar: { limit: LIMIT, good: 'at most' },
    detail: `${median(large).toFixed(2)} ms / ${median(small).toFixed(2)} ms`,
  }
}

/** The median of one round: a pause of the machine is in few of them. */
async function timeOf(grown: Grown, operation: Operation): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < PER_ROUND; i++) {
    const before = grown.spent()
    await operation(grown, i)
    times.push(grown.spent() - before)
  }
  return median(times)
}

async function identityWith(size: number, { urls, secrets }: Platform): Promise<Grown> {
  let spent = 0
  const fetch: Fetch = async (url, init) => {
    const startedAt = performance.now()
    const response = await freshFetch(url, init)
    spent += performance.now() - startedAt
    return response
  }
  const { auth: _, ...services } = urls
  const places = { ...services, origin: 'http://localhost:3000' }
  const identity = await Identity.create()
  const { did } = identity
  const { discovery } = await Client.connect({ core: urls.core })
  const client = new Client({ ...places, identity, fetch, ...(discovery && { discovery }) })
  await client.chain.genesis()
  await client.did.register()
  // The free plan counts a hundred uses.
  const act = licenceAct(['grant-licence', did, 'atelier', '30'], Date.now())
  if (!act) throw new Error('no act')
  await sendOperatorAct({ service: urls.pay, realm: urls.core }, secrets.operatorSeed, act)
  for (let i = 0; i < size; i++) await client.chain.append({ payload: new Uint8Array(100) })
  const hashes = Array.from({ length: size }, freshIdentifier)
  const { noteId } = await client.notes.put({ body: 'the first' })
  const { asset } = await client.assets.mint(freshAsset())
  await each(size, () => client.notes.put({ body: 'text' }))
  await each(size, () => client.assets.mint(freshAsset()))
  await each(size, () => client.quota.consume('search'))
  await each(size, (i) => client.consent.publish(hashes[i] ?? '', { ai_training: 'disallow' }))
  return { client, did, spent: () => spent, hashes, noteId, assetId: asset.assetId }
}

async function each(count: number, work: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const worker = async () => {
    for (let i = next++; i < count; i = next++) await work(i)
  }
  await Promise.all(Array.from({ length: WRITERS }, worker))
}

const freshIdentifier = () => `growth/${crypto.randomUUID()}`
const freshAsset = () => ({
  media: { mime: 'image/png', bytes: 1 },
  metadataHash: Buffer.from(crypto.getRandomValues(new Uint8Array(48))).toString('hex'),
})

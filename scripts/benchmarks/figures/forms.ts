import type { Platform } from '@svc/platform'
import { send } from '@svc/platform/callers/send'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { hashHex, toHex } from '@svc/protocol/base/hash'
import { didOf, userIdOf } from '@svc/protocol/base/identity'
import { jcsBytes } from '@svc/protocol/base/jcs'
import { anchorEntry, anchorLeafOf, type LoggedAnchor } from '@svc/protocol/ledger/anchor-log'
import { anchorIdOf } from '@svc/protocol/ledger/anchors'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import type { RecordCounts } from '../runtime/record-counts.ts'
import type { Figure } from './figure.ts'
import { median } from './load.ts'
import { runtimeWorker } from './runtime-worker.ts'

const ROUNDS = 7
const RECORDS = 200
const LEAVES = 2_000
const LOOKUPS = 200
const MANY_OWNERS = 100

const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes))

/** What labels, withholdable anchors and erasure keys cost, compared with simpler forms. */
export async function measureForms(_core: string, _did: string, _pay: string, { urls }: Platform): Promise<Figure[]> {
  return [...(await measureLabels(urls.keys)), ...measureBodies(), ...(await measureErasureKeys())]
}

/** Looks up new accounts by DID, for which the service proves a label, and by label. Nothing is cached. */
async function measureLabels(keys: string): Promise<Figure[]> {
  const times: [number[], number[]] = [[], []]
  const bytes: [number, number] = [0, 0]
  for (let round = 0; round <= LOOKUPS; round++) {
    const accounts = [didOf(userIdOf(random(32))), toHex(random(32))]
    for (const [i, account] of accounts.entries()) {
      const { status, body, milliseconds } = await send({
        method: 'GET',
        url: `${keys}/api/transparency/proof/${account}`,
      })
      if (status !== 200) throw new Error(`${account}: ${status}`)
      bytes[i as 0 | 1] = body.length
      if (round > 0) times[i]?.push(milliseconds) // the first warms up
    }
  }
  const [named, labelled] = [median(times[0]), median(times[1])]
  return [
    {
      name: 'bytes of the proof of an account by its DID / by its label',
      ratio: bytes[0] / bytes[1],
      bar: { limit: 1.05, good: 'at most' },
      detail: `${bytes[0]} / ${bytes[1]} bytes`,
    },
    {
      name: 'the same in time, p50',
      ratio: named / labelled,
      bar: { limit: 2, good: 'at most' },
      detail: `${named.toFixed(2)} ms / ${labelled.toFixed(2)} ms, ${LOOKUPS} each in turn`,
    },
  ]
}

/** A leaf with hashes of the body, compared with a leaf that contains the body. */
function measureBodies(): Figure[] {
  const [owner, root, epoch] = ['did:svc:'.padEnd(40, 'x'), 'a7'.repeat(48), '-']
  const anchor: LoggedAnchor = {
    anchorId: anchorIdOf(owner, root, epoch),
    root,
    epoch,
    hashAlg: 'sha3-384',
    createdAt: '2026-12-01T00:00:00.000Z',
    owner,
    attestations: [
      {
        alg: 'ml-dsa-65',
        publicKeyB64u: encodeBase64url(random(1_952)),
        signatureB64u: encodeBase64url(random(3_309)),
        signedAt: '2026-12-01T00:00:00.000Z',
      },
    ],
    salt: encodeBase64url(random(16)),
  }
  const { attestations, ...body } = anchor
  const attestationsHash = hashHex(jcsBytes(attestations))
  const whole = () => jcsBytes({ kind: 'anchor', ...body, attestationsHash })
  const [leaf, before] = [new TextEncoder().encode(anchorEntry(anchor)).length, whole().length]
  const [withBody, inLeaf] = alternating(
    () => anchorLeafOf(anchor),
    () => hashHex(whole()) + hashHex(jcsBytes(attestations)),
  )
  return [
    {
      name: 'bytes of the leaf of an anchor / of a leaf that has its body',
      ratio: leaf / before,
      bar: { limit: 0.75, good: 'at most' },
      detail: `${leaf} / ${before} bytes; the body is kept beside it, as it was`,
    },
    {
      name: 'time to make the leaf of an anchor / a leaf that has its body',
      ratio: withBody / inLeaf,
      bar: { limit: 1.5, good: 'at most' },
      detail: `${withBody.toFixed(3)} ms / ${inLeaf.toFixed(3)} ms, ${LEAVES} each in turn`,
    },
  ]
}

function alternating(...works: readonly [() => unknown, () => unknown]): [number, number] {
  const rounds: [number[], number[]] = [[], []]
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [i, work] of works.entries()) {
      const startedAt = performance.now()
      for (let done = 0; done < LEAVES; done++) work()
      if (round > 0) rounds[i]?.push((performance.now() - startedAt) / LEAVES) // the first warms up
    }
  }
  return [median(rounds[0]), median(rounds[1])]
}

type Asked = (
  path: 'once' | 'record',
  owners: number,
  times: number,
) => Promise<RecordCounts & { milliseconds: number }>

/** In workerd, with buckets in memory. */
async function measureErasureKeys(): Promise<Figure[]> {
  const worker = await runtimeWorker('benchmarks/runtime/forms-worker.ts', 'core')
  const miniflare = new Miniflare(convertV4MiniflareOptions({ ...worker, cf: false }))
  try {
    const { origin } = await miniflare.ready
    const asked: Asked = async (path, owners, times) => {
      const startedAt = performance.now()
      const answer = await fetch(`${origin}/${path}?owners=${owners}&times=${times}`)
      const counts = (await answer.json()) as RecordCounts
      if (counts.done !== times) throw new Error(`${counts.done} of ${times} records were made`)
      return { ...counts, milliseconds: performance.now() - startedAt }
    }
    return [...(await measureRecords(asked, 1)), ...(await measureRecords(asked, MANY_OWNERS))]
  } finally {
    await miniflare.dispose()
  }
}

async function measureRecords(asked: Asked, owners: number): Promise<Figure[]> {
  const what = owners === 1 ? 'a record of one owner' : `a record of ${owners} owners`
  const first = await asked('record', owners, 1)
  const times = Math.ceil(RECORDS / owners)
  const rounds = { once: [] as number[], record: [] as number[] }
  for (let round = 0; round < ROUNDS; round++) {
    for (const path of ['once', 'record'] as const) {
      // The time of an empty request is subtracted.
      const bare = await asked(path, owners, 0)
      const run = await asked(path, owners, times)
      rounds[path].push((run.milliseconds - bare.milliseconds) / times)
    }
  }
  const [known, floor] = [await asked('record', owners, 1), await asked('once', owners, 1)]
  const [record, once] = [median(rounds.record), median(rounds.once)]
  return [
    {
      name: `bytes of ${what} / sealed once`,
      ratio: known.bytes / floor.bytes,
      bar: { limit: 1.15, good: 'at most' },
      detail: `${known.bytes} / ${floor.bytes} bytes`,
    },
    {
      name: `time to seal ${what} / once`,
      ratio: record / once,
      bar: { limit: 5, good: 'at most' },
      detail: `${record.toFixed(2)} ms / ${once.toFixed(2)} ms in workerd`,
    },
    {
      name: `calls of the bucket of erasure keys for ${what}, for each owner`,
      ratio: (first.reads + first.writes) / owners,
      bar: { limit: 2, good: 'at most' },
      detail: `${first.reads} reads and ${first.writes} writes at first; ${known.reads + known.writes} while the object lives`,
    },
  ]
}

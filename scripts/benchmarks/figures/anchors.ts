import type { Identity } from '@svc/client'
import { mlDsa65 } from '@svc/client/functions'
import { Person } from '@svc/platform/callers/person'
import type { LoadRequest } from '@svc/platform/callers/send'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { hashTextHex } from '@svc/protocol/base/hash'
import { submissionBytes } from '@svc/protocol/ledger/anchor-submission'
import {
  anchorListSchema,
  anchorRecordSchema,
  MAX_WINDOW,
  stateProofSchema,
  verifyStateProof,
} from '@svc/protocol/ledger/anchors'
import type { Figure } from './figure.ts'
import { median, sendAll } from './load.ts'

const IDENTITIES = 50
const ANCHORS = 1_000
const SLICE = 250
const ROUNDS = 30

/** Concurrent submissions, and the cost of reading: the state proof of a full window, and pages of the list. */
export async function measureAnchors(core: string): Promise<Figure[]> {
  const owners: Identity[] = []
  for (let i = 0; i < IDENTITIES; i++) owners.push((await Person.create(core)).identity)
  return [await measureSubmissions(core, owners), await measureStateProof(core, owners), await measurePages(core)]
}

async function measureSubmissions(core: string, owners: readonly Identity[]): Promise<Figure> {
  const requests = await submissions(core, owners, 0, ANCHORS)
  const startedAt = performance.now()
  const answers = await sendAll(requests, IDENTITIES, 200)
  const seconds = (performance.now() - startedAt) / 1000
  const taken = new Set(answers.map(({ body }) => anchorRecordSchema.parse(parsed(body)).anchorId))
  const { anchors } = await stateProof(core, ANCHORS)
  const kept = new Set(anchors.map(({ anchorId }) => anchorId))
  const lost = ANCHORS - [...taken].filter((anchorId) => kept.has(anchorId)).length
  return {
    name: `anchors lost / ${ANCHORS} submitted by ${IDENTITIES} identities at once`,
    ratio: lost / ANCHORS,
    bar: { limit: 0, good: 'at most' },
    detail: `${lost} lost, ${(ANCHORS / seconds).toFixed(0)} taken per second`,
  }
}

/** Fetching the proof against hashing its leaves and nodes here, with the same JavaScript. */
async function measureStateProof(core: string, owners: readonly Identity[]): Promise<Figure> {
  for (let done = ANCHORS; done < MAX_WINDOW; done += SLICE) {
    const count = Math.min(SLICE, MAX_WINDOW - done)
    await sendAll(await submissions(core, owners, done, count), IDENTITIES, 200)
  }
  const proof = await stateProof(core, MAX_WINDOW)
  if (proof.count !== MAX_WINDOW) throw new Error(`the window holds ${proof.count} anchors`)
  const [served, hashed]: [number[], number[]] = [[], []]
  for (let round = 0; round <= ROUNDS; round++) {
    const [answer] = await sendAll([get(core, `/state-proof?window=${MAX_WINDOW}`)], 1, 200)
    const startedAt = performance.now()
    if (!verifyStateProof(proof)) throw new Error('The state proof is invalid')
    const milliseconds = performance.now() - startedAt
    if (round === 0 || !answer) continue // Warm-up.
    served.push(answer.milliseconds)
    hashed.push(milliseconds)
  }
  return {
    name: `state proof of ${MAX_WINDOW} leaves / hashing its ${2 * MAX_WINDOW - 1} nodes, p50`,
    ratio: median(served) / median(hashed),
    bar: { limit: 3, good: 'at most' },
    detail: `${median(served).toFixed(1)} ms / ${median(hashed).toFixed(1)} ms, ${ROUNDS} each`,
  }
}

async function measurePages(core: string): Promise<Figure> {
  const times = { 100: [] as number[], 500: [] as number[] }
  const bytes = { 100: 0, 500: 0 }
  for (let round = 0; round <= ROUNDS; round++) {
    for (const size of [100, 500] as const) {
      const [answer] = await sendAll([get(core, `?limit=${size}&attestations=omit`)], 1, 200)
      if (!answer) throw new Error('no answer')
      if (round === 0 && anchorListSchema.parse(parsed(answer.body)).count !== size) throw new Error('a short page')
      if (round > 0) times[size].push(answer.milliseconds)
      bytes[size] = answer.body.length
    }
  }
  const kilobytes = (size: 100 | 500) => `${(bytes[size] / 1024).toFixed(0)} KiB`
  return {
    name: 'list page of 500 anchors / page of 100, p50',
    ratio: median(times[500]) / median(times[100]),
    bar: { limit: 2, good: 'at most' },
    detail: `${median(times[500]).toFixed(1)} ms (${kilobytes(500)}) / ${median(times[100]).toFixed(1)} ms (${kilobytes(100)})`,
  }
}

const get = (core: string, path: string): LoadRequest => ({ method: 'GET', url: `${core}/api/anchors${path}` })
const parsed = (body: Buffer): unknown => JSON.parse(body.toString())

async function stateProof(core: string, window: number) {
  const [answer] = await sendAll([get(core, `/state-proof?window=${window}`)], 1, 200)
  return stateProofSchema.parse(answer && parsed(answer.body))
}

/** Signed in advance, by each owner in turn, so that a run measures the service and not the signing. */
export async function submissions(core: string, owners: readonly Identity[], from: number, count: number) {
  const requests: LoadRequest[] = []
  for (let i = from; i < from + count; i++) {
    const owner = owners[i % owners.length]
    if (owner) requests.push(await submission(core, owner, hashTextHex(`root ${i}`)))
  }
  return requests
}

async function submission(core: string, owner: Identity, root: string): Promise<LoadRequest> {
  const url = `${core}/api/anchors`
  const now = Date.now()
  const subject = { owner: owner.did, root, epoch: 'bench' }
  const attestation = {
    alg: 'ml-dsa-65',
    publicKeyB64u: owner.publicKeyB64u,
    // The realm of the local platform is core's origin.
    signatureB64u: encodeBase64url(
      await mlDsa65.sign(owner.revealSeeds().signing, submissionBytes(subject, new URL(core).origin, now)),
    ),
    signedAt: new Date(now).toISOString(),
  }
  const body = new TextEncoder().encode(JSON.stringify({ root, epoch: 'bench', attestations: [attestation] }))
  const authorization = await owner.assertion({ audience: 'chain', method: 'POST', url, body, now })
  return { method: 'POST', url, body, headers: { authorization } }
}

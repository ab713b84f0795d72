import { createExecutionContext, createScheduledController, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { encode, prepare } from '@ipld/dag-pb'
import { UnixFS, type UnixFSType } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { vi } from 'vitest'
import worker from '../../src/index.ts'

export const GATEWAY = 'https://gateway.test'
const RAW = 0x55
const DAG_PB = 0x70
const SHA2_256 = 0x12

export interface TestBlock {
  readonly cid: CID
  readonly name: string
  readonly bytes: Uint8Array
  /** The size of the file data in it and below it. */
  readonly size: number
}

export async function cidOf(bytes: Uint8Array, codec: number, hash = SHA2_256): Promise<CID> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes)))
  return CID.createV1(codec, create(hash, digest))
}

async function block(bytes: Uint8Array, codec: number, size: number): Promise<TestBlock> {
  const cid = await cidOf(bytes, codec)
  return { cid, name: cid.toString(), bytes, size }
}

export const leafOf = (bytes: Uint8Array | string): Promise<TestBlock> => {
  const raw = typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes
  return block(raw, RAW, raw.length)
}

/** A dag-pb node of a file over its children; declares their true sizes by default. */
export function nodeOf(
  children: readonly TestBlock[],
  options: { type?: UnixFSType; data?: Uint8Array; sizes?: readonly number[] } = {},
): Promise<TestBlock> {
  const { type = 'file', data, sizes = children.map(({ size }) => size) } = options
  const unixfs = new UnixFS({ type, blockSizes: sizes.map(BigInt), ...(data ? { data } : {}) })
  const Links = children.map(({ cid, bytes }) => ({ Name: '', Hash: cid, Tsize: bytes.length }))
  const size = (data?.length ?? 0) + sizes.reduce((sum, each) => sum + each, 0)
  return block(encode(prepare({ Data: unixfs.marshal(), Links })), DAG_PB, size)
}

/** Bytes that differ from their neighbours, so that a misplaced chunk is detected. */
export function sample(length: number, seed = 1): Uint8Array {
  let state = seed
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 24
  })
}

export interface TestFile {
  readonly root: TestBlock
  readonly leaves: readonly TestBlock[]
  readonly blocks: readonly TestBlock[]
  readonly bytes: Uint8Array
}

/** A file as IPFS programs create it: raw leaves of `chunk` bytes, `width` links per node. */
export async function fileOf(bytes: Uint8Array, chunk = 1_000, width = 174): Promise<TestFile> {
  const chunks = Math.ceil(bytes.length / chunk)
  const leaves = await Promise.all(
    Array.from({ length: chunks }, (_, i) => leafOf(bytes.slice(i * chunk, (i + 1) * chunk))),
  )
  const blocks = [...leaves]
  let level: TestBlock[] = leaves
  do {
    const above: TestBlock[] = []
    for (let i = 0; i < level.length; i += width) above.push(await nodeOf(level.slice(i, i + width)))
    blocks.push(...above)
    level = above
  } while (level.length > 1)
  const [root] = level
  if (!root) throw new Error('a file without a root')
  return { root, leaves, blocks, bytes }
}

type Answer = (init: RequestInit) => Response | Promise<Response>

/** A trustless gateway: raw blocks by CID, and any other behaviour of a gateway. */
export class FakeGateway {
  readonly asked: string[] = []
  readonly #blocks = new Map<string, Uint8Array>()
  readonly #answers = new Map<string, Answer>()

  add(...blocks: readonly TestBlock[]): this {
    for (const { name, bytes } of blocks) this.#blocks.set(name, bytes)
    return this
  }

  /** Its answer for one CID, or for all, instead of the block. */
  answers(name: string, answer: Answer): this {
    this.#answers.set(name, answer)
    return this
  }

  readonly fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const { origin, pathname, search } = new URL(url)
    const [, cid = ''] = /^\/ipfs\/([a-z0-9]+)$/.exec(pathname) ?? []
    if (origin !== GATEWAY || search !== '?format=raw') throw new Error(`nothing is asked at ${url}`)
    if (new Headers(init.headers).get('accept') !== 'application/vnd.ipld.raw') throw new Error('not the raw block')
    this.asked.push(cid)
    const response = await (this.#answers.get(cid) ?? this.#answers.get('*'))?.(init)
    const location = response?.headers.get('location')
    if (location && init.redirect !== 'manual') return this.fetch(location, init)
    return response ?? this.#raw(cid)
  }

  #raw(cid: string): Response {
    const bytes = this.#blocks.get(cid)
    if (!bytes) return new Response('no such block', { status: 404 })
    return new Response(bytes, { headers: { 'content-type': 'application/vnd.ipld.raw' } })
  }
}

/** Replaces the network of the Worker by a gateway, for one test. */
export function gatewayWith(...blocks: readonly TestBlock[]): FakeGateway {
  const gateway = new FakeGateway().add(...blocks)
  vi.stubGlobal('fetch', gateway.fetch)
  return gateway
}

/** Never answers, and ends when aborted. */
export const silent: Answer = ({ signal }) =>
  new Promise((_, reject) => {
    const giveUp = () => reject(signal?.reason as Error)
    if (signal?.aborted) giveUp()
    else signal?.addEventListener('abort', giveUp)
  })

/** The hourly cron trigger at some time. */
export async function sweepAt(time: number, replaced: object = {}): Promise<void> {
  const context = createExecutionContext()
  worker.scheduled(createScheduledController({ scheduledTime: new Date(time) }), { ...env, ...replaced }, context)
  await waitOnExecutionContext(context)
}

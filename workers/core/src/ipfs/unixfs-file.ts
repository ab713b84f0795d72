/**
 * UnixFS files over verified blocks: their size, and ranges of their bytes. Each block is checked against its CID
 * before any byte of it is used, so the file is exactly what its root CID names.
 *
 * @module
 */
import { decode } from '@ipld/dag-pb'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { TakedownReason } from '@svc/protocol/operator/takedown'
import { UnixFS } from 'ipfs-unixfs'
import { type ContentId, contentIdOf } from './content-id.ts'
import { type Form, hasFewFields } from './protobuf-fields.ts'

export const MAX_FILE_BYTES = 64 * 1024 * 1024
/**
 * The most blocks that one walk may request: a file at the size limit has 256 leaves of the usual 256 KiB, or 1,024 of
 * 64 KiB, and a few nodes above them. Without the limit, a tree of millions of tiny or empty blocks would keep a
 * request and the gateway busy.
 */
const MAX_BLOCKS = 1_280
/** Below that, a file may have this many blocks, and one more for every half a kilobyte that its root declares. */
const SMALL_BLOCKS = 64
const LEAST_BLOCK_BYTES = 512
/** Trees are shallow: with 174 links per level and leaves of 256 KiB, four levels hold far more than the size limit. */
const MAX_DEPTH = 4
const MAX_LINKS = 1_024
/** The data and the links of a node; type, data, size, block sizes, hash type, fanout, mode and time of a file. */
const NODE: Form = { 1: 'bytes', 2: 'bytes' }
const FILE: Form = {
  1: 'number',
  2: 'bytes',
  3: 'number',
  4: 'number',
  5: 'number',
  6: 'number',
  7: 'number',
  8: 'bytes',
}
const FIELDS = { node: MAX_LINKS + 1, file: MAX_LINKS + 7 } as const
/** Keeps the sum over all links of a node exact. */
const MAX_LINK_BYTES = BigInt(Number.MAX_SAFE_INTEGER) / BigInt(2 * MAX_LINKS)

export type FileRefusal =
  | { readonly reason: 'not_found' | 'not_a_file' | 'too_large' }
  | { readonly reason: 'taken_down'; readonly why: TakedownReason }

/** Where a file comes from. */
export interface Blocks {
  readonly get: (id: ContentId) => Promise<Uint8Array | null>
  /** Why one of these was taken down; null if none was. */
  readonly takenDown: (ids: readonly ContentId[]) => Promise<TakedownReason | null>
}

/** Yields piece by piece; its return value is the error that ended it early, or null if it is complete. */
export type Walk<T> = AsyncGenerator<T, FileRefusal | null>

export interface Block {
  readonly id: ContentId
  readonly bytes: Uint8Array
}

interface Link {
  readonly id: ContentId
  readonly bytes: number
}

interface Node {
  readonly block: Block
  /** The data in the node itself, before that of its links. */
  readonly own: Uint8Array
  readonly links: readonly Link[]
  readonly bytes: number
}

export class UnixfsFile {
  readonly #root: Node
  readonly #from: Blocks

  private constructor(root: Node, from: Blocks) {
    this.#root = root
    this.#from = from
  }

  /** The caller has checked that the root itself was not taken down. */
  static async open(id: ContentId, from: Blocks): Promise<Result<UnixfsFile, FileRefusal>> {
    const root = await nodeFrom(id, from)
    if (!root.ok) return root
    return root.value.bytes > MAX_FILE_BYTES ? err({ reason: 'too_large' }) : ok(new UnixfsFile(root.value, from))
  }

  get bytes(): number {
    return this.#root.bytes
  }

  /** The bytes from `start` up to `end`, exclusive. */
  read(start: number, end: number): Walk<Uint8Array> {
    return readNode(this.#root, start, end, this.#descent())
  }

  /** Every block, root first: what a pin stores. */
  blocks(): Walk<Block> {
    return blocksOf(this.#root, this.#descent())
  }

  #descent(): Descent {
    const most = SMALL_BLOCKS + Math.ceil(this.bytes / LEAST_BLOCK_BYTES)
    return new Descent(this.#from, { asked: 0, most: Math.min(most, MAX_BLOCKS) })
  }
}

async function* readNode(node: Node, start: number, end: number, descent: Descent): Walk<Uint8Array> {
  if (start < node.own.length) yield node.own.subarray(start, Math.min(end, node.own.length))
  let offset = node.own.length
  for (const link of node.links) {
    if (offset >= end) return null
    if (offset + link.bytes > start) {
      const child = await descent.follow(link)
      if (!child.ok) return child.error
      const brokeOff = yield* readNode(
        child.value,
        Math.max(0, start - offset),
        Math.min(link.bytes, end - offset),
        descent.deeper(),
      )
      if (brokeOff) return brokeOff
    }
    offset += link.bytes
  }
  return null
}

async function* blocksOf(node: Node, descent: Descent): Walk<Block> {
  yield node.block
  for (const link of node.links) {
    const child = await descent.follow(link)
    if (!child.ok) return child.error
    const brokeOff = yield* blocksOf(child.value, descent.deeper())
    if (brokeOff) return brokeOff
  }
  return null
}

/** Walks down one tree: every child must exist and have the size that its parent declares. */
class Descent {
  readonly #from: Blocks
  readonly #walk: { asked: number; readonly most: number }
  readonly #depth: number

  constructor(from: Blocks, walk: { asked: number; readonly most: number }, depth = 1) {
    this.#from = from
    this.#walk = walk
    this.#depth = depth
  }

  deeper(): Descent {
    return new Descent(this.#from, this.#walk, this.#depth + 1)
  }

  async follow(link: Link): Promise<Result<Node, FileRefusal>> {
    this.#walk.asked += 1
    if (this.#walk.asked > this.#walk.most) return err({ reason: 'too_large' })
    if (this.#depth > MAX_DEPTH) return err({ reason: 'not_a_file' })
    const child = await nodeFrom(link.id, this.#from)
    if (!child.ok) return child
    return child.value.bytes === link.bytes ? child : err({ reason: 'not_a_file' })
  }
}

/** A node whose children may be followed: none of them was taken down. */
async function nodeFrom(id: ContentId, from: Blocks): Promise<Result<Node, FileRefusal>> {
  const bytes = await from.get(id)
  if (!bytes) return err({ reason: 'not_found' })
  const node = nodeOf({ id, bytes })
  if (!node) return err({ reason: 'not_a_file' })
  const why = node.links.length === 0 ? null : await from.takenDown(node.links.map((link) => link.id))
  return why === null ? ok(node) : err({ reason: 'taken_down', why })
}

/** Null if it is not a file: directories, symlinks, and nodes without a size for every link. */
function nodeOf(block: Block): Node | null {
  if (block.id.codec === 'raw') return { block, own: block.bytes, links: [], bytes: block.bytes.length }
  if (!hasFewFields(block.bytes, NODE, FIELDS.node)) return null
  try {
    const { Data, Links } = decode(block.bytes)
    const file = Data && hasFewFields(Data, FILE, FIELDS.file) && UnixFS.unmarshal(Data)
    if (!file || (file.type !== 'file' && file.type !== 'raw')) return null
    if (Links.length > MAX_LINKS || file.blockSizes.length !== Links.length) return null
    const links: Link[] = []
    for (const [i, link] of Links.entries()) {
      const child = contentIdOf(link.Hash)
      const size = file.blockSizes[i]
      if (!child || size === undefined || size < 0n || size > MAX_LINK_BYTES) return null
      links.push({ id: child, bytes: Number(size) })
    }
    const own = file.data ?? new Uint8Array()
    return { block, own, links, bytes: own.length + links.reduce((sum, { bytes }) => sum + bytes, 0) }
  } catch {
    return null
  }
}

/**
 * A local trustless IPFS gateway: serves raw blocks by CID (`/ipfs/{cid}?format=raw`) of the files added to it, by
 * `add` or by a POST that returns the CID. It encodes dag-pb and UnixFS by hand instead of with
 * the libraries that core decodes them with, so that a test of one against the other tests the formats.
 *
 * @module
 */
import { createHash } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

const CHUNK_BYTES = 256 * 1024
const RAW = 0x55
const DAG_PB = 0x70

interface Block {
  readonly cid: Buffer
  readonly name: string
  /** Size of the file content in it. */
  readonly size: number
  /** Size of the blocks that hold the content. */
  readonly stored: number
}

export class LocalGateway {
  readonly url: string
  readonly #server: Server
  readonly #blocks: Map<string, Uint8Array>

  private constructor(url: string, server: Server, blocks: Map<string, Uint8Array>) {
    this.url = url
    this.#server = server
    this.#blocks = blocks
  }

  /** Port 0 is any free one. */
  static async start(host: string, port: number): Promise<LocalGateway> {
    const blocks = new Map<string, Uint8Array>()
    const server = createServer((request, response) => {
      if (request.method === 'POST') return void added(request).then((bytes) => response.end(gateway.add(bytes)))
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://gateway')
      const block = blocks.get(pathname.replace(/^\/ipfs\//, ''))
      const isRaw = searchParams.get('format') === 'raw'
      response.statusCode = !isRaw ? 406 : block ? 200 : 404
      response.setHeader('content-type', isRaw && block ? 'application/vnd.ipld.raw' : 'text/plain')
      response.end(isRaw ? block : 'only format=raw is supported')
    })
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, host, resolve)
    })
    const { port: opened } = server.address() as AddressInfo
    const gateway = new LocalGateway(`http://${host}:${opened}`, server, blocks)
    return gateway
  }

  /** Adds a file and returns its CID: raw leaves under one dag-pb root, or a single raw leaf if the file fits into one. */
  add(bytes: Uint8Array): string {
    const leaves: Block[] = []
    for (let start = 0; start < bytes.length || start === 0; start += CHUNK_BYTES) {
      const leaf = bytes.slice(start, start + CHUNK_BYTES)
      leaves.push(this.#put(leaf, RAW, leaf.length, leaf.length))
    }
    const [first] = leaves
    return leaves.length === 1 && first ? first.name : this.#root(leaves).name
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve())
    })
  }

  #put(bytes: Uint8Array, codec: number, size: number, stored: number): Block {
    const digest = createHash('sha256').update(bytes).digest()
    // CIDv1, codec, SHA2-256, 32 bytes.
    const cid = Buffer.from([1, codec, 0x12, digest.length, ...digest])
    const name = `b${base32(cid)}`
    this.#blocks.set(name, bytes)
    return { cid, name, size, stored }
  }

  /** dag-pb puts the links before the data. */
  #root(leaves: readonly Block[]): Block {
    const size = leaves.reduce((sum, leaf) => sum + leaf.size, 0)
    const links = leaves.map(({ cid, stored }) => field(2, [...field(1, cid), ...field(2, []), ...number(3, stored)]))
    const file = [...number(1, 2), ...number(3, size), ...leaves.flatMap((leaf) => number(4, leaf.size))]
    const node = Uint8Array.from([...links.flat(), ...field(1, file)])
    return this.#put(node, DAG_PB, size, node.length + leaves.reduce((sum, { stored }) => sum + stored, 0))
  }
}

/** A varint of protocol buffers: seven bits per byte, lowest first. */
function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))]
}

const number = (tag: number, value: number) => [tag << 3, ...varint(value)]
const field = (tag: number, bytes: Iterable<number>) => {
  const content = [...bytes]
  return [(tag << 3) | 2, ...varint(content.length), ...content]
}

/** RFC 4648 section 6, lower case and unpadded: multibase `b`. */
function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const groups = bits.match(/.{1,5}/g) ?? []
  return groups.map((group) => 'abcdefghijklmnopqrstuvwxyz234567'[Number.parseInt(group.padEnd(5, '0'), 2)]).join('')
}

async function added(request: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(chunk)
  return new Uint8Array(Buffer.concat(chunks))
}

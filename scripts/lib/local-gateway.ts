/**
 * A trustless IPFS gateway on this machine: raw blocks by CID (`/ipfs/{cid}?format=raw`), of what was put into it. It
 * writes dag-pb and UnixFS by hand and not with the libraries that core reads them with, so that the two agree on the
 * formats and on nothing else.
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
  /** Bytes of the file in it. */
  readonly size: number
  /** Bytes of the blocks that hold them. */
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
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://gateway')
      const block = blocks.get(pathname.replace(/^\/ipfs\//, ''))
      const isRaw = searchParams.get('format') === 'raw'
      response.statusCode = !isRaw ? 406 : block ? 200 : 404
      response.setHeader('content-type', isRaw && block ? 'application/vnd.ipld.raw' : 'text/plain')
      response.end(isRaw ? block : 'only format=raw')
    })
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, host, resolve)
    })
    const { port: opened } = server.address() as AddressInfo
    return new LocalGateway(`http://${host}:${opened}`, server, blocks)
  }

  /** Takes a file in and gives its CID: raw leaves under one dag-pb root, or a raw leaf alone where one holds it. */
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
    // CIDv1, codec, SHA2-256, 32 bytes of it.
    const cid = Buffer.from([1, codec, 0x12, digest.length, ...digest])
    const name = `b${base32(cid)}`
    this.#blocks.set(name, bytes)
    return { cid, name, size, stored }
  }

  /** The links come before the data, as dag-pb has them. */
  #root(leaves: readonly Block[]): Block {
    const size = leaves.reduce((sum, leaf) => sum + leaf.size, 0)
    const links = leaves.map(({ cid, stored }) => field(2, [...field(1, cid), ...field(2, []), ...number(3, stored)]))
    const file = [...number(1, 2), ...number(3, size), ...leaves.flatMap((leaf) => number(4, leaf.size))]
    const node = Uint8Array.from([...links.flat(), ...field(1, file)])
    return this.#put(node, DAG_PB, size, node.length + leaves.reduce((sum, { stored }) => sum + stored, 0))
  }
}

/** A number of protocol buffers, seven bits a byte, the lowest first. */
function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))]
}

const number = (tag: number, value: number) => [tag << 3, ...varint(value)]
const field = (tag: number, bytes: Iterable<number>) => {
  const content = [...bytes]
  return [(tag << 3) | 2, ...varint(content.length), ...content]
}

/** RFC 4648 section 6, lower case and unpadded, as multibase `b` has it. */
function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const groups = bits.match(/.{1,5}/g) ?? []
  return groups.map((group) => 'abcdefghijklmnopqrstuvwxyz234567'[Number.parseInt(group.padEnd(5, '0'), 2)]).join('')
}

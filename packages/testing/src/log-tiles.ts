import { toHex } from '@svc/protocol/base/hash'
import type { ListedLog } from '@svc/protocol/merkle/log-list'
import {
  edgeOverTiles,
  frontierRoot,
  overTiles,
  TILE_WIDTH,
  type TileBytes,
  type TileName,
  tileWidth,
} from '@svc/protocol/merkle/tiles'

export type ListedTiles = Pick<ListedLog, 'log' | 'tiles'>
type Send = (request: Request) => Promise<Response>

/** The address of a tile of a listed log; `width` is that of a partial one. */
export function tileUrl({ log, tiles }: ListedTiles, { level, index }: TileName, width?: number): string {
  const partial = width === undefined ? '' : `&width=${width}`
  return `${tiles}/tiles/${level}/${index}?log=${encodeURIComponent(log)}${partial}`
}

/** What a reader learns of a log of a size who is given its tiles and nothing else. */
export class ServedTiles {
  readonly #listed: ListedTiles
  readonly #size: number
  readonly #send: Send

  constructor(listed: ListedTiles, size: number, send: Send) {
    this.#listed = listed
    this.#size = size
    this.#send = send
  }

  async root(): Promise<string> {
    return toHex(frontierRoot(await edgeOverTiles(this.#size, this.#read)))
  }

  /** The audit path of a leaf. */
  async inclusion(index: number): Promise<string[]> {
    const edge = await edgeOverTiles(this.#size, this.#read)
    return overTiles(edge, (log) => log.inclusion(index, this.#size).map(toHex), this.#read)
  }

  readonly #read = async (tile: TileName): Promise<TileBytes> => {
    const width = tileWidth(this.#size, tile)
    const url = tileUrl(this.#listed, tile, width === TILE_WIDTH ? undefined : width)
    const answer = await this.#send(new Request(url))
    if (!answer.ok) throw new Error(`${url} is ${answer.status}`)
    return new Uint8Array(await answer.arrayBuffer())
  }
}

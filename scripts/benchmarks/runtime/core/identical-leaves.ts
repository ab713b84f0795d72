import { entryHash } from '@svc/protocol/merkle/entries'
import { TILE_WIDTH, type TileEdge } from '@svc/protocol/merkle/tiles'
import { merkleRoot } from '@svc/protocol/merkle/tree'

/** The leaf that a log of any size consists of. */
export const LINE = '{"kind":"same"}'

/** The right edge of a log of identical leaves: a valid tree of any size, without making its leaves. */
export function identicalEdge(size: number): TileEdge {
  const edge: Uint8Array[] = []
  let hash = entryHash(LINE)
  for (let hashes = size; hashes > 0; hashes = Math.floor(hashes / TILE_WIDTH)) {
    const level = new Uint8Array((hashes % TILE_WIDTH) * hash.length)
    for (let at = 0; at < level.length; at += hash.length) level.set(hash, at)
    edge.push(level)
    hash = merkleRoot(Array.from({ length: TILE_WIDTH }, () => hash))
  }
  return { size, edge }
}

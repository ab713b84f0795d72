import type { LogCheckpoint } from '@svc/protocol/merkle/checkpoint'
import { logNameSchema } from '@svc/protocol/merkle/log-name'
import { TILE_WIDTH } from '@svc/protocol/merkle/tiles'
import * as z from 'zod'
import { ApiError } from '../answer/api-error.ts'
import { IMMUTABLE } from '../answer/cache-control.ts'
import { defineOperation } from '../app/operation.ts'
import type { KeptLogs } from './kept-logs.ts'

const OCTETS = 'application/octet-stream'
/** A partial tile never changes either, but it is deleted five minutes after a wider one replaced it. */
const BRIEF = 'public, max-age=300'
const numberOf = (pattern: RegExp, range: string, description: string) =>
  z.string().regex(pattern, `must be ${range}`).transform(Number).meta({ description })

/** The operation that serves the tiles of a log; each service that keeps a log has one. */
export function logTileOperation<const P extends `/${string}`>(base: P) {
  return defineOperation({
    id: 'readLogTile',
    method: 'get',
    path: `${base}/tiles/{level}/{index}`,
    summary: 'Read a tile of a log: up to 256 hashes of one level of its tree',
    description:
      'Hashes of 48 bytes, one after another: of leaves at level 0, and at each level above the roots of 256 hashes of ' +
      'the level below. A full tile never changes. A partial one is read with `width`, the number of its hashes for the ' +
      'size of a signed checkpoint, and is 404 five minutes after the log has grown beyond it.',
    auth: 'none',
    params: z.strictObject({
      level: numberOf(/^[0-6]$/, '0 to 6', 'Level of the tile: 0 has the hashes of leaves'),
      index: numberOf(/^(?:0|[1-9][0-9]{0,12})$/, 'a number', 'Index of the tile in its level'),
    }),
    query: z.strictObject({
      log: logNameSchema.meta({ description: 'A listed log' }),
      width: numberOf(
        /^(?:[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5])$/,
        '1 to 255',
        'Number of hashes of a partial tile, 1 to 255; without it, the full tile',
      ).optional(),
    }),
    answer: { status: 200, description: 'Hashes of 48 bytes each', contentType: OCTETS },
    errors: ['not_found', 'dependency_unavailable'],
    cacheControl: (_, { width }) => (width === undefined ? IMMUTABLE : BRIEF),
  })
}

export interface TileQuery {
  readonly params: { readonly level: number; readonly index: number }
  readonly query: { readonly log: string; readonly width?: number | undefined }
}

/** Answers `readLogTile` from the files of the log. */
export async function logTile(
  logs: Pick<KeptLogs<LogCheckpoint>, 'tile'>,
  { params, query }: TileQuery,
): Promise<Response> {
  const found = await logs.tile(query.log, params, query.width ?? TILE_WIDTH)
  if (!found.ok) throw new ApiError(found.error.reason)
  return new Response(found.value, { headers: { 'content-type': OCTETS } })
}

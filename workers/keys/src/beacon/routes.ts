import { beaconSchema } from '@svc/protocol/merkle/beacon'
import { ApiError, defineOperation, IMMUTABLE } from '@svc/service'
import { parseTilePath } from '@svc/tlog/tiles'
import * as z from 'zod'
import { keysRoute } from '../service.ts'
import type { Services } from '../services.ts'

const OCTETS = 'application/octet-stream'
const TEXT = 'text/plain'
const BRIEF = 'public, max-age=5, must-revalidate'
const level = z.string().meta({ description: '`0` to `63`, or `entries`' })
const element = z.string()

const tile = {
  method: 'get',
  auth: 'none',
  cacheControl: IMMUTABLE,
  answer: {
    status: 200,
    description: 'Hashes of 32 bytes each, or entries behind lengths of two bytes',
    contentType: OCTETS,
  },
  errors: ['not_found', 'dependency_unavailable'],
} as const

export const readBeacon = defineOperation({
  id: 'readBeacon',
  method: 'get',
  path: '/api/transparency/beacon',
  summary: 'Read the name, the keys and the witnesses of the beacon',
  description:
    'What the operator of a witness needs to know, and what verifies a checkpoint: the verifier keys in the form of ' +
    'c2sp.org/signed-note. Another period has another name and other keys.',
  auth: 'none',
  answer: { status: 200, description: 'The beacon', schema: beaconSchema },
  errors: ['log_unavailable'],
  cacheControl: 'public, max-age=300',
})

export const readBeaconCheckpoint = defineOperation({
  id: 'readBeaconCheckpoint',
  method: 'get',
  path: '/api/transparency/beacon/checkpoint',
  summary: 'Read the newest checkpoint of the beacon, as a signed note with the cosignatures of witnesses',
  description:
    'In the form of c2sp.org/tlog-checkpoint. The log signs with Ed25519 and ML-DSA-44, and each witness that cosigned ' +
    'adds its lines.',
  auth: 'none',
  answer: { status: 200, description: 'A signed note', contentType: TEXT },
  errors: ['log_unavailable', 'dependency_unavailable'],
  cacheControl: BRIEF,
})

export const readBeaconTile = defineOperation({
  ...tile,
  id: 'readBeaconTile',
  path: '/api/transparency/beacon/tile/{level}/{index}',
  summary: 'Read a full tile of the beacon',
  description: 'In the form of c2sp.org/tlog-tiles: `tile/0/000`, `tile/entries/000`.',
  params: z.strictObject({ level, index: element }),
})

export const readBeaconTileBelow = defineOperation({
  ...tile,
  id: 'readBeaconTileBelow',
  path: '/api/transparency/beacon/tile/{level}/{group}/{index}',
  summary: 'Read a partial tile of the beacon',
  description: 'In the form of c2sp.org/tlog-tiles: `tile/0/000.p/12`, `tile/0/x001/234`.',
  params: z.strictObject({ level, group: element, index: element }),
})

export const readBeaconTileDeepBelow = defineOperation({
  ...tile,
  id: 'readBeaconTileDeepBelow',
  path: '/api/transparency/beacon/tile/{level}/{group}/{index}/{width}',
  summary: 'Read a partial tile of the beacon beyond index 999',
  description: 'In the form of c2sp.org/tlog-tiles: `tile/0/x001/234.p/12`.',
  params: z.strictObject({ level, group: element, index: element, width: element }),
})

/** Only what the published checkpoint covers is found. */
async function found(deps: Services, elements: readonly string[]): Promise<Response> {
  const path = parseTilePath(`tile/${elements.join('/')}`)
  const bytes = path && (await deps.beacon.tile(path))
  if (!bytes) throw new ApiError('not_found')
  return new Response(bytes, { headers: { 'content-type': OCTETS } })
}

export const beaconRoutes = [
  keysRoute(readBeacon, async ({ deps }) => {
    const beacon = await deps.beacon.describe()
    if (!beacon) throw new ApiError('log_unavailable')
    return beacon
  }),
  keysRoute(readBeaconCheckpoint, async ({ deps }) => {
    const note = await deps.beacon.checkpoint()
    if (note === null) throw new ApiError('log_unavailable')
    return new Response(note, { headers: { 'content-type': `${TEXT}; charset=utf-8` } })
  }),
  keysRoute(readBeaconTile, ({ params, deps }) => found(deps, [params.level, params.index])),
  keysRoute(readBeaconTileBelow, ({ params, deps }) => found(deps, [params.level, params.group, params.index])),
  keysRoute(readBeaconTileDeepBelow, ({ params, deps }) =>
    found(deps, [params.level, params.group, params.index, params.width]),
  ),
]

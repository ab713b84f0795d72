import { entriesAnswerSchema } from '@svc/protocol/keys/transparency'
import { type AnchorBodies, anchorBodiesSchema, MAX_PAGE_BODIES } from '@svc/protocol/ledger/anchor-feed'
import {
  MAX_PAGE_PUBLICATIONS,
  PUBLICATION_SETTLED_MS,
  type PublicationsPage,
  publicationsPageSchema,
} from '@svc/protocol/ledger/anchor-publications'
import { cursorSchema } from '@svc/protocol/merkle/cursor'
import { LOG_FILES_PATHS } from '@svc/protocol/merkle/log-list'
import { logQuery } from '@svc/protocol/merkle/log-name'
import { TILE_WIDTH } from '@svc/protocol/merkle/tiles'
import { ApiError, defineOperation, IMMUTABLE, logTile, logTileOperation } from '@svc/service'
import * as z from 'zod'
import { coreRoute } from '../service.ts'

/** Of what may change with the next batch of a log. */
export const GROWING = 'public, max-age=5, must-revalidate'
/** Of what changes only if an anchor is withheld: caches then have it for an hour more. */
export const WITHHELD_AFTER = 'public, max-age=3600'
const wholeNumber = z
  .string()
  .regex(/^(?:0|[1-9][0-9]{0,14})$/, 'must be a number')
  .transform(Number)

export const readAnchorEntries = defineOperation({
  id: 'readAnchorEntries',
  method: 'get',
  path: '/api/anchors/feed/entries/{bundle}',
  summary: 'Read the entries of 256 consecutive leaves, to recompute the tree',
  description:
    'Hash each line as it is: later kinds of entries are leaves too. A full bundle of a log that is named with `log` never changes.',
  auth: 'none',
  params: z.strictObject({ bundle: wholeNumber }),
  query: z.strictObject(logQuery),
  answer: {
    status: 200,
    description: 'The entries, fewer at the end of the log',
    schema: entriesAnswerSchema,
    bare: true,
  },
  errors: ['not_found', 'dependency_unavailable'],
  // Without a name it is another log after the next roll.
  cacheControl: (answer, { log }) =>
    log !== undefined && (answer as { entries: unknown[] }).entries.length === TILE_WIDTH ? IMMUTABLE : GROWING,
})

export const readAnchorBodies = defineOperation({
  id: 'readAnchorBodies',
  method: 'get',
  path: '/api/anchors/feed/bodies/{from}',
  summary: 'Read the anchors of consecutive leaves, in bulk',
  description:
    `What the entries commit to. A page has up to ${MAX_PAGE_BODIES} leaves of one bundle of entries and 1 MiB, whichever ` +
    'comes first. Start at 0 and continue at `to`: then all readers ask for the same pages, and a full one changes only if ' +
    'a body is withheld.',
  auth: 'none',
  // 38,400 anchors a minute, some 280 MB: a mirror of a million is complete within half an hour.
  limit: { counter: 'readAnchorBodies', limit: 600, protects: 'work' },
  params: z.strictObject({ from: wholeNumber }),
  query: z.strictObject(logQuery),
  answer: { status: 200, description: 'A page', schema: anchorBodiesSchema, bare: true },
  errors: ['not_found', 'dependency_unavailable'],
  cacheControl: (answer, { log }) => (log !== undefined && (answer as AnchorBodies).isFull ? WITHHELD_AFTER : GROWING),
})

export const readAnchorPublications = defineOperation({
  id: 'readAnchorPublications',
  method: 'get',
  path: '/api/anchors/feed/publications',
  summary: 'Read the signed reports of the publisher, in bulk',
  description:
    `Which ledger carries an anchor, as the publisher reported it. Pages of ${MAX_PAGE_PUBLICATIONS} in an order that never ` +
    `changes: by \`issuedAt\`, then by \`nonce\`. A report is in the feed ${PUBLICATION_SETTLED_MS / 60_000} minutes after its ` +
    '`issuedAt`. Start without `after` and continue at `next`: then all readers ask for the same pages, and a full one ' +
    'never changes. Verify each report with the keys of the publisher in the signed list.',
  auth: 'none',
  // 38,400 reports a minute, some 180 MB.
  limit: { counter: 'readAnchorPublications', limit: 600, protects: 'work' },
  query: z.strictObject({ after: cursorSchema.optional().meta({ description: '`next` of the previous page' }) }),
  answer: { status: 200, description: 'A page', schema: publicationsPageSchema, bare: true },
  errors: ['invalid_cursor', 'dependency_unavailable'],
  cacheControl: (answer) => ((answer as PublicationsPage).isFull ? IMMUTABLE : GROWING),
})

export const readLogTile = logTileOperation(LOG_FILES_PATHS.anchors)

export const anchorFeedRoutes = [
  coreRoute(readLogTile, ({ deps, ...tile }) => logTile(deps.anchorLogs, tile)),
  coreRoute(readAnchorEntries, async ({ params: { bundle }, query: { log }, deps }) => {
    const found = await deps.anchorLogs.entries(log, bundle)
    if (found.ok) return found.value
    throw new ApiError(found.error.reason)
  }),
  coreRoute(readAnchorPublications, async ({ query: { after }, deps, now }) => {
    const found = await deps.anchorFeed.publications(after, now)
    if (found.ok) return found.value
    throw new ApiError(found.error.reason)
  }),
  coreRoute(readAnchorBodies, async ({ params: { from }, query: { log }, deps }) => {
    const found = await deps.anchorFeed.bodies(log, from)
    if (found.ok) return found.value
    throw new ApiError(found.error.reason)
  }),
]

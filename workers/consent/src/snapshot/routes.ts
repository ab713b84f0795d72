import { snapshotPageSchema, snapshotQuerySchema } from '@svc/protocol/consent/snapshot'
import { ApiError, defineOperation } from '@svc/service'
import { cachedAnswer, NOT_MODIFIED } from '../consent/cached-answer.ts'
import { consentRoute } from '../service.ts'

/** A page of a given time never changes; the newest is replaced within the hour. */
const NAMED_SECONDS = 86_400
const NEWEST_SECONDS = 300

export const readConsentSnapshot = defineOperation({
  id: 'readConsentSnapshot',
  method: 'get',
  path: '/api/v1/consent/snapshot',
  summary: 'Read what was declared at a full hour, in signed pages',
  description:
    'One bucket of 1,024. Start with `bucket` alone; continue with `at` of the first page and, as `from`, the `to` of the ' +
    'previous one, until `to` is null. Read the other buckets with the same `at`.',
  auth: 'none',
  // Up to five million records, a snapshot is 1,024 pages. They fit in a minute, at no more than 20 ms of CPU each.
  limit: { counter: 'readConsentSnapshot', limit: 1_200, protects: 'work' },
  query: snapshotQuerySchema,
  answer: { status: 200, description: 'A page', schema: snapshotPageSchema, bare: true },
  otherAnswers: [NOT_MODIFIED],
  errors: ['snapshot_unknown', 'snapshots_unavailable', 'dependency_unavailable'],
})

export const snapshotRoutes = [
  consentRoute(readConsentSnapshot, async ({ query, headers, deps, now }) => {
    const page = await deps.snapshots.page(query, now)
    if (!page.ok) throw new ApiError(page.error.reason)
    const { entriesHash, at, bucket } = page.value.statement
    // Signing is randomized: the tag covers what is signed, so that two pages with the same content share it.
    const etag = `W/"${entriesHash.slice(0, 32)}-${at}-${bucket}"`
    const maxAgeSeconds = query.at === undefined ? NEWEST_SECONDS : NAMED_SECONDS
    return cachedAnswer(headers, { body: JSON.stringify(page.value), maxAgeSeconds, etag })
  }),
]

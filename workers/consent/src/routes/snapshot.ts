import { snapshotPageSchema, snapshotQuerySchema } from '@svc/protocol/consent-snapshot'
import { ApiError, defineOperation } from '@svc/service'
import { consentRoute } from '../route.ts'
import { cachedAnswer, NOT_MODIFIED } from './cached-answer.ts'

/** A page of a time that is named never says anything else; the newest is another one within the hour. */
const NAMED_SECONDS = 86_400
const NEWEST_SECONDS = 300

export const readConsentSnapshot = defineOperation({
  id: 'readConsentSnapshot',
  method: 'get',
  path: '/api/v1/consent/snapshot',
  summary: 'Everything that was declared at a full hour, in signed pages',
  description:
    'Begin without a query, go on with `at` of the first page and `from` as `to` of the one before, until `to` is null.',
  auth: 'none',
  // A page costs 20 ms of CPU and 5,000 rows; a million records take 200 of them.
  limit: { counter: 'readConsentSnapshot', limit: 300 },
  query: snapshotQuerySchema,
  answer: { status: 200, description: 'A page', schema: snapshotPageSchema, bare: true },
  otherAnswers: [NOT_MODIFIED],
  errors: ['snapshot_unknown', 'snapshots_unavailable', 'dependency_unavailable'],
})

export const snapshotRoutes = [
  consentRoute(readConsentSnapshot, async ({ query, headers, deps, now }) => {
    const page = await deps.snapshots.page(query, now)
    if (!page.ok) throw new ApiError(page.error.reason)
    const { entriesHash, at } = page.value.statement
    // Signing is randomized: the tag is of what is signed about, so that two pages that say the same have one.
    const etag = `W/"${entriesHash.slice(0, 32)}-${at}"`
    const maxAgeSeconds = query.at === undefined ? NEWEST_SECONDS : NAMED_SECONDS
    return cachedAnswer(headers, { body: JSON.stringify(page.value), maxAgeSeconds, etag })
  }),
]

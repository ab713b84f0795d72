/** Digests of the page on consent, computed from what stands beside them. */
import { type ConsentQuestion, consentQuestionHash } from '@svc/protocol/consent/authority'
import type { ConsentRecord } from '@svc/protocol/consent/consent'
import { creatorHash, identifierHash } from '@svc/protocol/consent/identifiers'
import { entriesHash, type SnapshotPage } from '@svc/protocol/consent/snapshot'
import { value, vector } from './examples.ts'

const { hash } = value('consent-record') as ConsentRecord
const shown = value('consent-buckets') as readonly { readonly hash: string }[]

export const CONSENT_DIGESTS: readonly string[] = [
  ...shown.map((one) => identifierHash(one.hash)),
  creatorHash(hash, vector('did')),
  await entriesHash((value('consent-snapshot') as SnapshotPage).entries),
  consentQuestionHash(value('consent-question') as ConsentQuestion),
]

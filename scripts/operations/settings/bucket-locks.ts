/**
 * What nobody may delete or overwrite in a bucket: rules of Cloudflare by prefix, set by `scripts/provision`.
 *
 * @module
 */
import { EXPORT_BUCKET, EXPORT_PREFIX } from '../databases/export-place.ts'

const DAY_SECONDS = 86_400

/** A rule as Cloudflare stores it. */
export interface LockRule {
  readonly id: string
  readonly enabled: boolean
  readonly prefix: string
  readonly condition: { readonly type: 'Indefinite' } | { readonly type: 'Age'; readonly maxAgeSeconds: number }
}

/** What Cloudflare deletes by itself, by age. */
export interface LifecycleRule {
  readonly id: string
  readonly enabled: boolean
  readonly conditions: { readonly prefix: string }
  readonly deleteObjectsTransition: { readonly condition: { readonly type: 'Age'; readonly maxAge: number } }
}

const forever = (prefix: string): LockRule => ({
  id: `svc ${prefix}`,
  enabled: true,
  prefix,
  condition: { type: 'Indefinite' },
})
const forDays = (prefix: string, days: number): LockRule => ({
  id: `svc ${prefix}`,
  enabled: true,
  prefix,
  condition: { type: 'Age', maxAgeSeconds: days * DAY_SECONDS },
})

/**
 * The heads of a log are deleted after 40 days. An object can be restored to 30 days ago and needs what it then lacks, so
 * they are locked for a time between the two.
 */
const LOG_RULES = [forever('logs/'), forDays('log-heads/', 35)]

/** By the committed name of a bucket. What is not here, owners or the operator may delete, or it goes by itself. */
export const BUCKET_LOCKS: Readonly<Record<string, readonly LockRule[]>> = {
  // Not `anchors/`: withheld anchors are deleted. The acts that withhold them are kept.
  'svc-core-blobs': [
    ...LOG_RULES,
    forever('publications/'),
    forever('publication-order/'),
    forever('cosigned/'),
    forever('withheld/'),
    forever('withheld-leaves/'),
  ],
  'svc-keys-tiles': LOG_RULES,
  'svc-consent-blobs': [forever('segments/')],
  [EXPORT_BUCKET]: [forDays(EXPORT_PREFIX, 35)],
}

/** Exports have what users deleted since: they go as soon as their lock ends. */
export const LIFECYCLES: Readonly<Record<string, readonly LifecycleRule[]>> = {
  [EXPORT_BUCKET]: [
    {
      id: `svc ${EXPORT_PREFIX}`,
      enabled: true,
      conditions: { prefix: EXPORT_PREFIX },
      deleteObjectsTransition: { condition: { type: 'Age', maxAge: 36 * DAY_SECONDS } },
    },
  ],
}

/** Whether a bucket has these rules: any other with the same prefix, or one that is disabled, is a difference. */
export function missingRules(found: readonly LockRule[], wanted: readonly LockRule[]): LockRule[] {
  const textOf = ({ prefix, enabled, condition }: LockRule) =>
    JSON.stringify([prefix, enabled, condition.type, condition.type === 'Age' ? condition.maxAgeSeconds : null])
  const there = new Set(found.map(textOf))
  return wanted.filter((rule) => !there.has(textOf(rule)))
}

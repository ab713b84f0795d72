/** Stored records in the shapes of the read routes. */
import type { ConsentRecord, ConsentSummary } from '@svc/protocol/consent/consent'
import { projectionsOf, usageOf } from '@svc/protocol/consent/projection'
import type { OptOut } from '@svc/protocol/consent/queries'
import type { BriefRecord, FullRecord } from '../store/rows.ts'

export function recordOf({
  hash,
  creatorDid,
  preferences,
  version,
  createdAt,
  updatedAt,
  act,
}: FullRecord): ConsentRecord {
  const { public_key_b64u = null, ...signed } = act ?? {}
  return {
    found: true,
    hash,
    source: 'declared',
    content_hash: hash,
    creator_did: creatorDid,
    public_key_b64u,
    preferences,
    version,
    created_at: createdAt,
    updated_at: updatedAt,
    signed: act ? (signed as ConsentRecord['signed']) : null,
    projections: projectionsOf(preferences),
  }
}

export function summaryOf({ hash, creatorDid, preferences, version, updatedAt }: BriefRecord): ConsentSummary {
  return {
    found: true,
    hash,
    source: 'declared',
    creator_did: creatorDid,
    preferences,
    usage: usageOf(preferences),
    version,
    updated_at: updatedAt,
  }
}

/** Training is allowed only if declared so; otherwise the policy is opt-out, with or without a record. */
export function optOutOf(hash: string, record: Pick<FullRecord, 'creatorDid' | 'preferences'> | null): OptOut {
  const training = record?.preferences.ai_training
  return {
    hash,
    opt_out: training !== 'allow',
    found: record !== null,
    creator_did: record?.creatorDid ?? null,
    source: training === undefined ? 'default' : 'declared',
    usage: record ? usageOf(record.preferences) : '',
  }
}

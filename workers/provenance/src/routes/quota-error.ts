import { ApiError } from '@svc/service'
import type { QuotaRefusal } from '../quota/quota.ts'

/** What every metered route may answer besides its own refusals. */
export const QUOTA_ERRORS = ['quota_exhausted', 'dependency_unavailable'] as const

/** The public answer when no unit could be had (document 2 section 2.2), or nobody could say. */
export function quotaError(refusal: QuotaRefusal): ApiError {
  switch (refusal.reason) {
    case 'exhausted': {
      const { kind, used, limit, tier } = refusal
      return new ApiError('quota_exhausted', { quota: { kind, used, limit, tier } })
    }
    case 'unavailable':
      return new ApiError('dependency_unavailable', { reason: refusal.detail })
  }
}

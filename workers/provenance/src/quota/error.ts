import { ApiError } from '@svc/service'
import type { QuotaRefusal } from './rules.ts'

/** The errors that every metered route may return besides its own. */
export const QUOTA_ERRORS = ['quota_exhausted', 'dependency_unavailable'] as const

/** The public error when no unit was available or pay did not answer. */
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

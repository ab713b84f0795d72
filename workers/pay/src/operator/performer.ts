import { err, ok } from '@svc/protocol/base/result'
import type { PayOperatorAct } from '@svc/protocol/operator/acts'
import type { ActPerformer } from '@svc/service'
import type { EntitlementService } from '../entitlements/service.ts'
import type { EntitlementStore } from '../entitlements/store.ts'

export type PayActRefusal = { readonly reason: 'not_found' }

/** Carries out the operator's acts at pay: issues codes for a tier, and ends grants. */
export function performerOf(
  grants: EntitlementStore,
  entitlements: EntitlementService,
): ActPerformer<PayOperatorAct['statement'], PayActRefusal> {
  return async (statement, now) => {
    if (statement.type === 'svc/operator-entitlement-code/v1') {
      await grants.issue(statement, now)
      return ok({})
    }
    const isKnown = await entitlements.end(statement.grantId, now)
    return isKnown ? ok({}) : err({ reason: 'not_found' })
  }
}
